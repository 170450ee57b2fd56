// The widths of the vectors that functors of two files of one name are called with.
#pragma once

int widthOne();
int widthTwo();
