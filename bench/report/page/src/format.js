// Numbers as text, the same way everywhere.

const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const short = new Intl.NumberFormat('en', { maximumSignificantDigits: 4 });
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 4 });
const signed = new Intl.NumberFormat('en', { maximumFractionDigits: 0, signDisplay: 'exceptZero' });

export const count = (value) => whole.format(value);
export const cycles = (value) => whole.format(value);

export function bytes(value) {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let unit = 0;
  let scaled = value;
  for (; Math.abs(scaled) >= 1024 && unit + 1 < units.length; ++unit) scaled /= 1024;
  return `${short.format(scaled)} ${units[unit]}`;
}

export function bytesInFull(value) {
  return Math.abs(value) < 1024 ? `${whole.format(value)} B` : `${whole.format(value)} B (${bytes(value)})`;
}

function time(seconds) {
  const steps = [[1, 's'], [1e-3, 'ms'], [1e-6, 'µs'], [1e-9, 'ns']];
  const [scale, unit] = steps.find(([limit]) => Math.abs(seconds) >= limit) ?? steps[3];
  return `${short.format(seconds / scale)} ${unit}`;
}

export function percent(part, whole) {
  return whole ? `${short.format((100 * part) / whole)} %` : '–';
}

/** The value of a fact of the summary, by its unit. */
export function byUnit(unit, value) {
  if (typeof value === 'string') return value;
  const formats = {
    bytes: bytesInFull,
    cycles: (v) => `${count(v)} cycles`,
    hertz: (v) => `${short.format(v / 1e6)} MHz`,
    seconds: time,
  };
  return (formats[unit] ?? count)(value);
}

/** "+1,024 (+3.1 %)" */
export function difference(before, after) {
  if (before === after) return '=';
  const share = before ? ` (${after > before ? '+' : ''}${short.format((100 * (after - before)) / before)} %)` : '';
  return signed.format(after - before) + share;
}

/** Short numbers for axes. */
export function axisBytes(values) {
  return values.map((value) => (value === null ? '' : bytes(value)));
}

export function axisCount(values) {
  return values.map((value) => (value === null ? '' : compact.format(value)));
}
