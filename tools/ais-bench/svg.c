// SPDX-License-Identifier: MIT
/* Throughput by block size: block sizes by their logarithm, throughput from 0. */
#include "report.h"

#include <math.h>

#define WIDTH  720
#define HEIGHT 440
#define LEFT   80
#define RIGHT  690
#define TOP    70
#define BOTTOM 370

struct plot {
    FILE *out;
    const struct options *options;
    const struct result *results;
    unsigned count;
    double low, high; /* log2 of the block sizes at the edges */
    double top;       /* GB/s */
    double step;      /* between the lines */
};

static double gigabytes(const struct result *result, int direction)
{
    return per_second(result->figures[direction].bytes, result) * 1e-9;
}

static double x_of(const struct plot *plot, size_t block)
{
    return LEFT + (RIGHT - LEFT) * (log2((double)block) - plot->low) / (plot->high - plot->low);
}

static double y_of(const struct plot *plot, double value)
{
    return BOTTOM - (BOTTOM - TOP) * value / plot->top;
}

/* Room beside the points; a top line above them, at a multiple of 1, 2 or 5 times a power of 10. */
static void scale(struct plot *plot)
{
    double most = 0, power;

    plot->low = plot->high = log2((double)plot->results[0].block);
    for (unsigned i = 0; i < plot->count; i++) {
        plot->low = fmin(plot->low, log2((double)plot->results[i].block));
        plot->high = fmax(plot->high, log2((double)plot->results[i].block));
        for (int d = 0; d < DIRECTIONS; d++)
            most = fmax(most, gigabytes(&plot->results[i], d));
    }
    plot->low -= 0.5;
    plot->high += 0.5;
    if (most <= 0)
        most = 1;
    power = pow(10, floor(log10(most / 5)));
    plot->step = power;
    for (double factor = 2; plot->step * 6 < most; factor = factor == 2 ? 5 : 10)
        plot->step = factor * power;
    plot->top = plot->step * ceil(most / plot->step * 1.02);
}

static void print_axes(const struct plot *plot)
{
    char text[32];
    double last = -100;

    for (int i = 0; i * plot->step <= plot->top * 1.001; i++) {
        double y = y_of(plot, i * plot->step);

        fprintf(plot->out,
                "<line x1='%d' y1='%.1f' x2='%d' y2='%.1f' stroke='%s'/>\n"
                "<text x='%d' y='%.1f' text-anchor='end'>%g</text>\n",
                LEFT, y, RIGHT, y, i == 0 ? "#333" : "#ddd", LEFT - 8, y + 4, i * plot->step);
    }
    for (unsigned i = 0; i < plot->count; i++) {
        double x = x_of(plot, plot->results[i].block);

        fprintf(plot->out, "<line x1='%.1f' y1='%d' x2='%.1f' y2='%d' stroke='#333'/>\n", x, BOTTOM,
                x, BOTTOM + 5);
        if (fabs(x - last) < 50)
            continue;
        last = x;
        fprintf(plot->out, "<text x='%.1f' y='%d' text-anchor='middle'>%s</text>\n", x, BOTTOM + 20,
                size_text(plot->results[i].block, text));
    }
    fprintf(plot->out,
            "<text x='%d' y='%d' text-anchor='middle'>block size</text>\n"
            "<text x='22' y='%d' text-anchor='middle' transform='rotate(-90 22 %d)'>"
            "throughput (GB/s)</text>\n",
            (LEFT + RIGHT) / 2, BOTTOM + 46, (TOP + BOTTOM) / 2, (TOP + BOTTOM) / 2);
}

static void print_line(const struct plot *plot, int direction, int legend_x)
{
    static const char *const colours[DIRECTIONS] = {"#1f6fb4", "#c8501e"};
    const char *colour = colours[direction];

    fprintf(plot->out, "<polyline fill='none' stroke='%s' stroke-width='2' points='", colour);
    for (unsigned i = 0; i < plot->count; i++)
        fprintf(plot->out, "%s%.1f,%.1f", i == 0 ? "" : " ", x_of(plot, plot->results[i].block),
                y_of(plot, gigabytes(&plot->results[i], direction)));
    fprintf(plot->out, "'/>\n");
    for (unsigned i = 0; i < plot->count; i++)
        fprintf(plot->out,
                "<circle cx='%.1f' cy='%.1f' r='4' fill='%s'><title>%.3f GB/s</title>"
                "</circle>\n",
                x_of(plot, plot->results[i].block),
                y_of(plot, gigabytes(&plot->results[i], direction)), colour,
                gigabytes(&plot->results[i], direction));
    fprintf(plot->out, "<circle cx='%d' cy='52' r='4' fill='%s'/><text x='%d' y='56'>%s</text>\n",
            legend_x, colour, legend_x + 10, direction_words[direction]);
}

static void print_title(const struct plot *plot)
{
    const struct options *options = plot->options;

    fprintf(plot->out, "<text x='%d' y='28' font-size='16'>hipFile: %s %s %s, %u thread%s", LEFT,
            api_words[options->api], order_words[options->order], op_words[options->op],
            options->threads, options->threads == 1 ? "" : "s");
    if (options->api != API_SYNC)
        fprintf(plot->out, ", queue depth %u", options->depth);
    fprintf(plot->out, ", %s memory</text>\n", memory_words[options->memory]);
}

void svg_print(FILE *out, const struct options *options, const struct result *results,
               unsigned count)
{
    struct plot plot = {.out = out, .options = options, .results = results, .count = count};
    int legend_x = LEFT + 6;

    fprintf(out,
            "<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d' viewBox='0 0 %d %d' "
            "font-family='sans-serif' font-size='13' fill='#222'>\n"
            "<rect width='100%%' height='100%%' fill='#fff'/>\n",
            WIDTH, HEIGHT, WIDTH, HEIGHT);
    print_title(&plot);
    if (count > 0) {
        scale(&plot);
        print_axes(&plot);
        for (int d = 0; d < DIRECTIONS; d++) {
            if (!has_direction(options, d))
                continue;
            print_line(&plot, d, legend_x);
            legend_x += 80;
        }
    }
    fprintf(out, "</svg>\n");
}
