// Rows of the execution trace: spans of time that do not overlap, in order. No drawing here.

/** The first index in [0, count) for which `isBeyond` holds; count if there is none. */
export function firstIndex(count, isBeyond) {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isBeyond(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

export class Row {
  begins = [];
  ends = [];
  entries = []; // of the execution list: the first that the span covers
  labels = [];
  weights = []; // cycles that the mean tile is active
  #busy; // sums up to each span
  #worked;
  #matching;

  /** A span, or more of the last one when it says the same without a gap. */
  add(begin, end, label, entry, weight = end - begin) {
    const last = this.begins.length - 1;
    if (last >= 0 && this.labels[last] === label && this.ends[last] === begin && this.merges) {
      this.ends[last] = end;
      this.weights[last] += weight;
      return;
    }
    this.begins.push(begin);
    this.ends.push(end);
    this.labels.push(label);
    this.entries.push(entry);
    this.weights.push(weight);
  }

  constructor(title, merges = false) {
    this.title = title;
    this.merges = merges;
  }

  get count() {
    return this.begins.length;
  }

  /** After the last span. */
  finish() {
    this.#busy = sums(this.begins.map((begin, index) => this.ends[index] - begin));
    this.#worked = sums(this.weights);
    this.match(() => true);
  }

  /** Which labels the search has found. */
  match(isMatch) {
    this.#matching = sums(this.labels.map((label) => Number(isMatch(label))));
  }

  matchesIn(first, last) {
    return this.#matching[last] > this.#matching[first];
  }

  /** The span at a time, or -1. */
  at(time) {
    const index = firstIndex(this.count, (i) => this.ends[i] > time);
    return index < this.count && this.begins[index] <= time ? index : -1;
  }

  /**
   * Calls draw({x, width, first, last, share, worked}) for what is seen of [from, to) on so many pixels. Spans [first,
   * last) that would be narrower than a pixel are drawn as one; `share` is how much of it they fill, `worked` how much
   * of their time the mean tile is active. At most two calls a pixel, however many spans there are.
   */
  forEachVisible(from, to, pixels, draw) {
    const scale = pixels / (to - from);
    let index = firstIndex(this.count, (i) => this.ends[i] > from);
    while (index < this.count && this.begins[index] < to) {
      const x = Math.max(0, (this.begins[index] - from) * scale);
      const width = Math.min(pixels, (this.ends[index] - from) * scale) - x;
      let last = index + 1;
      if (width < 1.5) {
        const boundary = from + (Math.floor(x) + 1) / scale;
        last = Math.max(last, firstIndex(this.count, (i) => this.begins[i] >= boundary));
      }
      const busy = this.#busy[last] - this.#busy[index];
      const worked = busy ? (this.#worked[last] - this.#worked[index]) / busy : 1;
      const merged = width < 1.5;
      draw({
        x: merged ? Math.floor(x) : x,
        width: merged ? 1 : width,
        first: index,
        last,
        share: merged ? Math.min(1, busy * scale) : 1,
        worked: Math.min(1, worked),
      });
      index = last;
    }
  }
}

function sums(values) {
  const result = new Float64Array(values.length + 1);
  for (let index = 0; index < values.length; ++index) result[index + 1] = result[index] + values[index];
  return result;
}
