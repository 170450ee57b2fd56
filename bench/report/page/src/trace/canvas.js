// The execution trace on a canvas: what is drawn grows with the pixels, never with the steps.
import { el, onSchemeChange, styleValue } from '../dom.js';
import { KINDS } from '../report.js';
import { shortName } from './rows.js';

const ROW_HEIGHT = 20;
const GAP = 3;
const LEFT = 92;
const ZOOM = 0.7;

export class TraceCanvas {
  #canvas = el('canvas');
  #box;
  #rows;
  #labels;
  #total;
  #view;
  #selected = null; // {begin, end}
  #drag = null;
  #pending = false;
  #tell;
  #onSelect;

  /** @param tell  (row, span) => void, under the pointer; @param onSelect  (row, span) => void */
  constructor({ rows, total, label, tell, onSelect, onStep }) {
    this.#rows = [rows.runs, ...rows.lanes, ...rows.depths].filter((row) => row.count);
    this.#labels = rows.labels.texts;
    this.#total = total;
    this.#view = { from: 0, to: total };
    this.#tell = tell;
    this.#onSelect = onSelect;
    this.#box = el('div.trace', {
      tabindex: 0, role: 'group',
      'aria-label': `${label}. Left and right arrow keys move, plus and minus zoom, 0 shows all, ` +
        'less-than and greater-than select the step before and after.',
      on: {
        keydown: (event) => this.#onKey(event, onStep),
        wheel: (event) => this.#onWheel(event),
        dblclick: () => this.show(0, total),
        pointerdown: (event) => this.#onDown(event),
        pointermove: (event) => this.#onMove(event),
        pointerup: (event) => this.#onUp(event),
      },
    }, this.#canvas);
    this.element = this.#box;
  }

  start() {
    new ResizeObserver(() => this.redraw()).observe(this.#box);
    onSchemeChange(() => this.redraw());
    this.redraw();
  }

  /** Shows [from, to) of time, at least a few cycles. */
  show(from, to) {
    const length = Math.min(this.#total, Math.max(8, to - from));
    const begin = Math.min(Math.max(0, from), this.#total - length);
    this.#view = { from: begin, to: begin + length };
    this.redraw();
  }

  /** Marks [begin, end), and moves there when it is out of view or too small to be seen. */
  select(begin, end) {
    this.#selected = { begin, end };
    const { from, to } = this.#view;
    const tiny = (end - begin) * 200 < to - from;
    if (begin < from || end > to || tiny) {
      const around = Math.max((end - begin) * 10, tiny ? 0 : to - from);
      this.show((begin + end - around) / 2, (begin + end + around) / 2);
    } else this.redraw();
  }

  match(isMatch) {
    for (const row of this.#rows) row.match(isMatch);
    this.redraw();
  }

  /** At most once a frame. */
  redraw() {
    if (this.#pending) return;
    this.#pending = true;
    requestAnimationFrame(() => {
      this.#pending = false;
      this.#draw();
    });
  }

  get #width() {
    return Math.max(50, this.#box.clientWidth - LEFT);
  }

  #draw() {
    const ratio = devicePixelRatio;
    const height = this.#rows.length * (ROW_HEIGHT + GAP) + 26;
    this.#canvas.width = this.#box.clientWidth * ratio;
    this.#canvas.height = height * ratio;
    this.#canvas.style.height = `${height}px`;
    const ctx = this.#canvas.getContext('2d');
    ctx.scale(ratio, ratio);
    ctx.font = '12px system-ui, sans-serif';
    ctx.textBaseline = 'middle';
    const colours = readColours();
    let drawn = 0;
    this.#rows.forEach((row, index) => {
      const y = index * (ROW_HEIGHT + GAP);
      ctx.fillStyle = colours.text;
      ctx.fillText(row.title, 2, y + ROW_HEIGHT / 2, LEFT - 6);
      drawn += this.#drawRow(ctx, row, y, colours);
    });
    this.#drawAxis(ctx, height - 24, colours);
    this.#drawSelected(ctx, height - 26, colours);
    this.#canvas.dataset.drawn = drawn;
    this.#canvas.dataset.from = this.#view.from;
    this.#canvas.dataset.to = this.#view.to;
  }

  #drawRow(ctx, row, y, colours) {
    const fill = colours.lanes.get(row.title) ?? (row.title === 'Runs' ? colours.line : colours.frame);
    const isLane = colours.lanes.has(row.title);
    let drawn = 0;
    ctx.fillStyle = colours.empty;
    ctx.fillRect(LEFT, y, this.#width, ROW_HEIGHT);
    row.forEachVisible(this.#view.from, this.#view.to, this.#width, (span) => {
      drawn += 1;
      const found = row.matchesIn(span.first, span.last);
      const x = LEFT + span.x;
      const inner = span.width > 3 ? span.width - 1 : span.width;
      ctx.fillStyle = fill;
      // Pale to the height of the busiest tile, full to that of the mean one.
      const strength = (found ? 1 : 0.15) * (0.35 + 0.65 * span.share);
      ctx.globalAlpha = strength * (isLane ? 0.4 : 1);
      ctx.fillRect(x, y, inner, ROW_HEIGHT);
      if (isLane) {
        ctx.globalAlpha = strength;
        const part = Math.max(1, ROW_HEIGHT * span.worked);
        ctx.fillRect(x, y + ROW_HEIGHT - part, inner, part);
      }
      ctx.globalAlpha = found ? 1 : 0.4;
      if (span.width > 30) drawLabel(ctx, shortName(this.#labels[row.labels[span.first]]), x, y, inner, isLane ? colours.onLane : colours.onFrame);
      ctx.globalAlpha = 1;
    });
    return drawn;
  }

  #drawAxis(ctx, y, colours) {
    const { from, to } = this.#view;
    const step = niceStep((to - from) / Math.max(2, this.#width / 110));
    ctx.fillStyle = colours.text;
    for (let at = Math.ceil(from / step) * step; at <= to; at += step) {
      const x = LEFT + ((at - from) / (to - from)) * this.#width;
      ctx.fillRect(x, y, 1, 5);
      const text = Math.round(at).toLocaleString('en');
      if (x + ctx.measureText(text).width < LEFT + this.#width) ctx.fillText(text, x + 3, y + 10);
    }
    ctx.fillText('cycles', 2, y + 10);
  }

  #drawSelected(ctx, height, colours) {
    const { from, to } = this.#view;
    const marked = this.#drag && this.#drag.moved ? rangeOf(this.#drag) : this.#selected;
    if (!marked || marked.end < from || marked.begin > to) return;
    const scale = this.#width / (to - from);
    const x0 = LEFT + Math.max(0, (marked.begin - from) * scale);
    const x1 = LEFT + Math.min(this.#width, (marked.end - from) * scale);
    ctx.strokeStyle = colours.text;
    ctx.lineWidth = 2;
    ctx.strokeRect(x0, 0, Math.max(2, x1 - x0), height);
  }

  #timeAt(event) {
    const x = event.clientX - this.#canvas.getBoundingClientRect().left - LEFT;
    const { from, to } = this.#view;
    return from + (Math.min(this.#width, Math.max(0, x)) / this.#width) * (to - from);
  }

  #rowAt(event) {
    const y = event.clientY - this.#canvas.getBoundingClientRect().top;
    return this.#rows[Math.floor(y / (ROW_HEIGHT + GAP))];
  }

  #onDown(event) {
    if (event.button !== 0) return;
    const time = this.#timeAt(event);
    this.#drag = { start: time, now: time, x: event.clientX, moved: false };
    this.#box.setPointerCapture(event.pointerId);
  }

  #onMove(event) {
    if (this.#drag) {
      this.#drag.now = this.#timeAt(event);
      this.#drag.moved ||= Math.abs(event.clientX - this.#drag.x) > 4;
      this.redraw();
      return;
    }
    const row = this.#rowAt(event);
    const span = row ? row.at(this.#timeAt(event)) : -1;
    if (span >= 0) this.#tell(row, span);
  }

  #onUp(event) {
    const drag = this.#drag;
    this.#drag = null;
    if (!drag) return;
    if (drag.moved) {
      const { begin, end } = rangeOf(drag);
      this.show(begin, end);
      return;
    }
    const row = this.#rowAt(event);
    const span = row ? row.at(this.#timeAt(event)) : -1;
    if (span >= 0) this.#onSelect(row, span);
  }

  #onWheel(event) {
    const { from, to } = this.#view;
    if (event.ctrlKey) {
      event.preventDefault();
      this.#zoomAt(this.#timeAt(event), event.deltaY < 0 ? ZOOM : 1 / ZOOM);
    } else if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      event.preventDefault();
      const by = (event.deltaX / this.#width) * (to - from);
      this.show(from + by, to + by);
    }
  }

  #zoomAt(time, factor) {
    const { from, to } = this.#view;
    this.show(time - (time - from) * factor, time + (to - time) * factor);
  }

  #onKey(event, onStep) {
    const { from, to } = this.#view;
    const quarter = (to - from) / 4;
    const actions = {
      ArrowLeft: () => this.show(from - quarter, to - quarter),
      ArrowRight: () => this.show(from + quarter, to + quarter),
      '+': () => this.#zoomAt((from + to) / 2, ZOOM),
      '-': () => this.#zoomAt((from + to) / 2, 1 / ZOOM),
      0: () => this.show(0, this.#total),
      '<': () => onStep(-1),
      '>': () => onStep(1),
    };
    const action = actions[event.key];
    if (!action || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    action();
  }
}

function rangeOf(drag) {
  return { begin: Math.min(drag.start, drag.now), end: Math.max(drag.start, drag.now) };
}

function readColours() {
  return {
    text: styleValue('--text'),
    line: styleValue('--run'),
    empty: styleValue('--empty'),
    frame: styleValue('--frame'),
    onLane: styleValue('--on-lane'),
    onFrame: styleValue('--on-frame'),
    lanes: new Map(KINDS.map((kind) => [kind.lane, styleValue(kind.colour)])),
  };
}

function drawLabel(ctx, text, x, y, width, colour) {
  const most = Math.floor((width - 6) / 6);
  if (most < 3) return;
  ctx.fillStyle = colour;
  ctx.fillText(text.length > most ? `${text.slice(0, most - 1)}…` : text, x + 3, y + ROW_HEIGHT / 2, width - 6);
}

/** 1, 2 or 5 times a power of ten, at least `wanted`. */
function niceStep(wanted) {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, wanted)));
  return power * ([1, 2, 5].find((factor) => factor * power >= wanted) ?? 10);
}
