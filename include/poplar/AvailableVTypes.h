/*
 * Which compact pointer layouts the device has, as macros VECTOR_AVAIL_SHORT_SPAN, VECTOR_AVAIL_SCALED_PTR32,
 * VECTOR_AVAIL_SCALED_PTR64, VECTOR_AVAIL_SCALED_PTR128 and VECTORLIST_AVAIL_DELTAN. A host has none of them: pointers are
 * full ones, and codelets fall back to ONE_PTR, SPAN and DELTANELEMENTS.
 */
#ifndef POPLAR_AVAILABLEVTYPES_H
#define POPLAR_AVAILABLEVTYPES_H
#endif
