// Charts over a row of things (tiles, steps): uPlot draws them; the keyboard, the readout and the marks are ours.
import uPlot from 'uplot';
import { el, onSchemeChange, styleValue } from './dom.js';
import * as format from './format.js';

/** More points than this are drawn as a line, which uPlot thins out to a few points a pixel. */
const MOST_STEPS = 5000;
const ZOOM = 0.7;
const POWERS_OF_TWO = Array.from({ length: 50 }, (_, power) => 2 ** power);

/**
 * @param {string} options.label     what the chart shows, for those who do not see it
 * @param {string} options.xLabel
 * @param {number} options.count     of things along x; thing i covers [i, i + 1)
 * @param {Array}  options.series    {values, colour, fill?, dash?, width?}; the last is drawn on top
 * @param {boolean} options.isBytes  what y counts; else anything else
 * @param options.tell               (index) => text of the readout
 * @param options.onSelect           (index) => void, on click and Enter
 * @param options.limit              {value, label}: a line across
 */
export class Chart {
  #options;
  #plot;
  #index = -1;
  #selected = -1;
  #scaleToLimit = false;
  #box;
  #readout = el('output.readout', { 'aria-live': 'polite' }, '');

  constructor(options) {
    this.#options = options;
    this.#box = el('div.chart', {
      tabindex: 0, role: 'group', 'aria-label': `${options.label}. Arrow keys move, plus and minus zoom, 0 shows all` +
        `${options.onSelect ? ', Enter selects' : ''}.`,
      on: { keydown: (event) => this.#onKey(event) },
    });
    this.element = el('div', {}, this.#box, this.#readout);
  }

  /** To be called when the element is in the page. */
  draw() {
    this.#makePlot();
    new ResizeObserver(() => this.#plot.setSize({ width: this.#box.clientWidth, height: this.#height })).observe(this.#box);
    onSchemeChange(() => this.#plot.redraw());
  }

  #makePlot() {
    this.#plot = new uPlot(this.#plotOptions(), this.#data(this.#options.series), this.#box);
    const over = this.#plot.over;
    let pressedAt = 0;
    over.addEventListener('mousedown', (event) => (pressedAt = event.clientX));
    over.addEventListener('mouseup', (event) => {
      if (Math.abs(event.clientX - pressedAt) < 4 && this.#index >= 0) this.select(this.#index);
    });
    over.addEventListener('wheel', (event) => this.#onWheel(event), { passive: false });
  }

  /** Draws other series; setSeries is faster when there are as many. */
  replaceSeries(series) {
    this.#options.series = series;
    if (!this.#plot) return;
    this.#plot.destroy();
    this.#plot = undefined;
    this.#makePlot();
  }

  /** Draws other values of as many series. */
  setSeries(series) {
    this.#options.series = series;
    if (!this.#plot) return;
    this.#plot.setData(this.#data(series), false);
    this.#plot.redraw(true);
  }

  /** Whether the y axis reaches up to the limit. */
  scaleToLimit(on) {
    this.#scaleToLimit = on;
    if (this.#plot) this.#plot.setScale('y', this.#rangeOfY());
  }

  select(index) {
    this.#selected = index;
    this.#plot?.redraw(false);
    this.#tell(index);
    this.#options.onSelect?.(index);
  }

  /** [from, to) along x */
  zoom(from, to) {
    const { count } = this.#options;
    const length = Math.min(count, Math.max(2, to - from));
    const begin = Math.min(Math.max(0, from), count - length);
    this.#plot.setScale('x', { min: begin, max: begin + length });
  }

  get #height() {
    return this.#options.height ?? 240;
  }

  #data(series) {
    const { count } = this.#options;
    const xs = Float64Array.from({ length: count + 1 }, (_, index) => index);
    return [xs, ...series.map(({ values }) => closeLast(values, count))];
  }

  #rangeOfY() {
    const { limit, series } = this.#options;
    let top = this.#scaleToLimit && limit ? limit.value : 0;
    for (const { values } of series) for (const value of values) if (value > top) top = value;
    return { min: 0, max: top * 1.06 || 1 };
  }

  #plotOptions() {
    const { count, series, xLabel, isBytes } = this.#options;
    const line = () => styleValue('--line');
    const axis = { stroke: () => styleValue('--text'), grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1 } };
    const paths = count > MOST_STEPS ? uPlot.paths.linear() : uPlot.paths.stepped({ align: 1 });
    return {
      width: this.#box.clientWidth,
      height: this.#height,
      legend: { show: false },
      scales: {
        x: { time: false, range: (_, min, max) => [min ?? 0, max ?? count] },
        y: { range: () => { const { min, max } = this.#rangeOfY(); return [min, max]; } },
      },
      axes: [
        { ...axis, size: 34, label: xLabel, labelSize: 18, labelGap: 0, values: (_, values) => values.map((v) => (v % 1 ? '' : String(v))) },
        { ...axis, size: 80, incrs: isBytes ? POWERS_OF_TWO : undefined, values: (_, values) => (isBytes ? format.axisBytes : format.axisCount)(values) },
      ],
      series: [{}, ...series.map((one) => ({
        stroke: () => styleValue(one.colour),
        fill: one.fill ? () => styleValue(one.colour) : undefined,
        width: one.width ?? (one.fill ? 0 : 1.5),
        dash: one.dash,
        points: { show: false },
        paths,
      }))],
      cursor: {
        y: false,
        points: { show: false },
        drag: { x: true, y: false, dist: 4 },
        dataIdx: (_, series_, closest, x) => Math.min(count - 1, Math.max(0, Math.floor(x))),
      },
      hooks: {
        setCursor: [(plot) => this.#onCursor(plot)],
        draw: [(plot) => this.#drawMarks(plot)],
      },
    };
  }

  #onCursor(plot) {
    if (plot.cursor.left < 0) return;
    const index = Math.floor(plot.posToVal(plot.cursor.left, 'x'));
    this.#index = Math.min(this.#options.count - 1, Math.max(0, index));
    this.#tell(this.#index);
  }

  #tell(index) {
    this.#readout.textContent = this.#options.tell(index);
  }

  #drawMarks(plot) {
    const { ctx, bbox } = plot;
    ctx.save();
    ctx.strokeStyle = ctx.fillStyle = styleValue('--text');
    const { limit } = this.#options;
    if (limit && limit.value <= plot.scales.y.max) {
      const y = plot.valToPos(limit.value, 'y', true);
      ctx.setLineDash([6, 4]);
      strokeLine(ctx, bbox.left, y, bbox.left + bbox.width, y);
      ctx.fillText(limit.label, bbox.left + 6, y + 14 * devicePixelRatio);
    }
    if (this.#selected >= 0) {
      const x = plot.valToPos(this.#selected + 0.5, 'x', true);
      ctx.setLineDash([]);
      if (x >= bbox.left && x <= bbox.left + bbox.width) strokeLine(ctx, x, bbox.top, x, bbox.top + bbox.height);
    }
    ctx.restore();
  }

  #onWheel(event) {
    if (!event.ctrlKey) return; // the page scrolls
    event.preventDefault();
    const { min, max } = this.#plot.scales.x;
    const centre = this.#plot.posToVal(event.offsetX, 'x');
    const factor = event.deltaY < 0 ? ZOOM : 1 / ZOOM;
    this.zoom(centre - (centre - min) * factor, centre + (max - centre) * factor);
  }

  #onKey(event) {
    const { min, max } = this.#plot.scales.x;
    const middle = this.#index < 0 ? (min + max) / 2 : this.#index + 0.5;
    const half = (max - min) / 2;
    const actions = {
      ArrowRight: () => this.#move(event.shiftKey ? 10 : 1),
      ArrowLeft: () => this.#move(event.shiftKey ? -10 : -1),
      Home: () => this.#moveTo(0),
      End: () => this.#moveTo(this.#options.count - 1),
      '+': () => this.zoom(middle - half * ZOOM, middle + half * ZOOM),
      '-': () => this.zoom(middle - half / ZOOM, middle + half / ZOOM),
      0: () => this.zoom(0, this.#options.count),
      Enter: () => this.#index >= 0 && this.select(this.#index),
    };
    const action = actions[event.key];
    if (!action || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    action();
  }

  #move(by) {
    this.#moveTo(this.#index + by);
  }

  #moveTo(index) {
    this.#index = Math.min(this.#options.count - 1, Math.max(0, index));
    const { min, max } = this.#plot.scales.x;
    if (this.#index < min || this.#index + 1 > max) this.zoom(this.#index + 0.5 - (max - min) / 2, this.#index + 0.5 + (max - min) / 2);
    this.#plot.setCursor({ left: this.#plot.valToPos(this.#index + 0.5, 'x'), top: 1 }, false);
    this.#tell(this.#index);
  }
}

/** The last thing is as wide as the others. */
function closeLast(values, count) {
  const closed = new Float64Array(count + 1);
  closed.set(values.subarray ? values.subarray(0, count) : values.slice(0, count));
  closed[count] = values[count - 1] ?? 0;
  return closed;
}

function strokeLine(ctx, x0, y0, x1, y1) {
  ctx.beginPath();
  ctx.moveTo(x0, y0);
  ctx.lineTo(x1, y1);
  ctx.stroke();
}
