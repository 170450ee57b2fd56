/* Stack sizes of assembly functions are declared for devices only; DEF_STACK_USAGE and
 * DEF_STACK_SIZE_OWN stay undefined. */
#ifndef POPLAR_STACKSIZEDEFS_HPP
#define POPLAR_STACKSIZEDEFS_HPP
#endif
