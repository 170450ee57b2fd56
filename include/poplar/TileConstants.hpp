/* Constants of a tile. Also for assembly sources: preprocessor text only. */
#ifndef POPLAR_TILECONSTANTS_HPP
#define POPLAR_TILECONSTANTS_HPP

/* Worker contexts of a tile, on every device. */
#define CTXT_WORKERS 6

/* Registers for __builtin_ipu_get and its like; the numbers are those of this implementation.
 * Worker status: */
/* __builtin_ipu_get(CSR_W_WSR__INDEX) & CSR_W_WSR__CTXTID_M1__MASK is the number of the worker. */
#define CSR_W_WSR__INDEX 1
#define CSR_W_WSR__CTXTID_M1__SHIFT 0
#define CSR_W_WSR__CTXTID_M1__MASK 0x7

/* The others read as 0 and ignore what is written. */
#define CSR_W_FP_CTL__INDEX 16
#define CSR_W_FP_NFMT__INDEX 17
#define CSR_W_FP_SCL__INDEX 18
#define CSR_S_FP_ICTL__INDEX 32

/* Most iterations of a hardware loop. A host's loops have no such limit, but algorithms are chosen
 * by it. */
#define CSR_W_REPEAT_COUNT__VALUE__MASK 0xffff

#endif
