/* Stands for the canvas of PNG files where the program is built without cairo. */
#include "figure/draw/canvas.h"

const struct app_canvas_table app_canvas_png = {
    .ending = "png",
    .lacking = "this ckg was built without cairo, which PNG files need; write an .svg, or install cairo "
               "(Debian: libcairo2-dev) and build again",
};
