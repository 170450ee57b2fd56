/* Constants of a tile. Also for assembly sources: preprocessor text only. */
#ifndef POPLAR_TILECONSTANTS_HPP
#define POPLAR_TILECONSTANTS_HPP

/* Worker contexts of a tile, on every device. */
#define CTXT_WORKERS 6

#endif
