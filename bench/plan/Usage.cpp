#include <bench/plan/Arguments.hpp>

namespace cottonwood::plan {

char const USAGE[] =
    R"(usage: poplar-plan matmul [Gx]MxKxN [OPTIONS]
       poplar-plan chain MxKxNxN[xN...] [OPTIONS]
       poplar-plan conv BATCHxCHANNELSxSIZE[xSIZE...] --out CHANNELS --kernel SIZE[xSIZE...] [OPTIONS]
       poplar-plan reduce SIZE[xSIZE...] --dims DIM[xDIM...] [OPTIONS]
       poplar-plan embedding ENTRIESxCOLUMNS --indices NUMBER [--update] [OPTIONS]
       poplar-plan elementwise SIZE[xSIZE...] --op NAME [--with SIZE[xSIZE...]] [--in-place] [OPTIONS]
       poplar-plan cast SIZE[xSIZE...] --to TYPE [OPTIONS]
       poplar-plan copy SIZE[xSIZE...] [--transpose] [OPTIONS]
       poplar-plan table [--charges WHAT] [--target NAME] [--only TEXT]

How a product, a chain of products (each has the result of the one before as its left operand), a convolution, sum, lookup,
elementwise operation or copy is planned for the tiles of an IPU: the plan, what it is predicted to cost and what the IPU Model
makes of it, what else was possible.

  --type TYPE            of the operands: half (default) or float
  --output TYPE          of the result; default that of the operands
  --partials TYPE        of partial sums: half (default) or float
  --target NAME          ipu1, ipu2 (default), ipu21 or bow
  --memory PROPORTION    of a tile's memory that temporaries may take; default 0.6
  --constraints JSON     the option planConstraints
  --alternatives N       plans to show beside the chosen one; default 5
  --sweep                cycles against memory, instead
  --json                 JSON instead of text
  --charges WHAT         modelled (default), or published: those of planners whose figures were published
  --stride, --padding, --dilation SIZE[xSIZE...]    conv: one number, or one a dimension; default 1, 0 and 1
  --groups N             conv: groups of channels; default 1
  --dims DIM[xDIM...]    reduce: neighbouring dimensions to add up
  --indices NUMBER       embedding: rows that are looked up at a time
  --update               embedding: rows are added to
  --op NAME              elementwise: add, exp, tanh, multiply-add-tanh, ...
  --with SIZE[xSIZE...]  elementwise: shape of the second operand, broadcast to that of the first
  --in-place             elementwise: the first operand takes the result
  --mapping WHERE        elementwise, cast, copy: where operands lie: linear (default), one (tile), turned (linear,
                         half of all tiles further on) or cyclic
  --with-mapping WHERE   elementwise: the second operand
  --to TYPE              cast: half, float, int or uchar
  --result-mapping WHERE cast, copy: into a tensor that lies there; default as the operand, of a transpose where that
                         is cheapest
  --transpose            copy: with the last two dimensions in the other order
  --only TEXT            table: problems with this in their names
)";

} // namespace cottonwood::plan
