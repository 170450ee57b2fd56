// Columns of whole numbers, as bench/report/Column.cpp packs them: each as its difference from the one before, zigzag,
// seven bits a byte with the low ones first, base64.

/** @returns {Float64Array} */
export function decodeColumn(text) {
  const bytes = atob(text);
  const values = new Float64Array(countEnds(bytes));
  let value = 0;
  for (let at = 0, row = 0; row < values.length; ++row) {
    let packed = 0;
    let scale = 1; // not shifts: values need more than 32 bits
    let byte;
    do {
      byte = bytes.charCodeAt(at++);
      packed += (byte & 127) * scale;
      scale *= 128;
    } while (byte & 128);
    value += packed % 2 ? -(packed + 1) / 2 : packed / 2;
    values[row] = value;
  }
  return values;
}

function countEnds(bytes) {
  let count = 0;
  for (let at = 0; at < bytes.length; ++at) count += bytes.charCodeAt(at) < 128;
  return count;
}
