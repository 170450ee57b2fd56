// The parts of the page that need no browser.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeColumn } from '../../../bench/report/page/src/codec.js';
import * as format from '../../../bench/report/page/src/format.js';
import { decodeReport } from '../../../bench/report/page/src/report.js';
import { Search } from '../../../bench/report/page/src/search.js';
import { makeRows, shortName } from '../../../bench/report/page/src/trace/rows.js';
import { Row } from '../../../bench/report/page/src/trace/spans.js';

/** The same as bench/report/Column.cpp; its test has these examples, too. */
function pack(values) {
  const bytes = [];
  let last = 0n;
  for (const value of values.map(BigInt)) {
    let rest = value >= last ? (value - last) * 2n : (last - value) * 2n - 1n;
    for (; rest >= 128n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
    bytes.push(Number(rest));
    last = value;
  }
  return btoa(String.fromCharCode(...bytes));
}

test('columns are read as the command packs them', () => {
  const cases = { '': [], 'AA==': [0], AgIC: [1, 2, 3], 'BgE=': [3, 2], 'gAE=': [64], 'yAEAAAA=': [100, 100, 100, 100],
    '/v///////w/9////////Dw==': [2 ** 52 - 1, 0] };
  for (const [text, values] of Object.entries(cases)) {
    assert.deepEqual([...decodeColumn(text)], values);
    assert.equal(pack(values), text);
  }
});

/** Steps of 10 cycles, of these entries and groups. */
function reportOf(entries, groups, names = ['a/x', 'a/y']) {
  const none = pack([]);
  const table = (columns) => Object.fromEntries(Object.entries(columns).map(([key, values]) => [key, pack(values)]));
  const each = (value) => names.map(() => value);
  return decodeReport({
    format: 1, file: 'f', facts: [], names, runs: [{ name: 'run', begin: 0, end: 30 }], executionIsCut: false, plans: [],
    memory: { limit: 1, total: none, alwaysLive: none, categories: [], regions: [] },
    variables: {}, variableRuns: {}, liveness: {}, lifetimes: {}, computeSets: {}, setVertices: {}, vertexTypes: {}, stepRuns: {},
    steps: table({ kind: names.map((_, i) => i % 2), name: names.map((_, i) => i), cycles: each(10), syncCycles: each(4),
      minCycles: each(1), meanCycles: each(3), maxCycles: each(6), activeTiles: each(1), bytesIn: each(0), bytesOut: each(0), executions: each(1) }),
    execution: table({ step: entries.map(([step]) => step), count: entries.map(([, count]) => count) }),
    groups: table({ entries: groups.map(([length]) => length), repeats: groups.map(([, repeats]) => repeats) }),
  });
}

test('data of another format are refused', () => {
  assert.throws(() => decodeReport({ format: 99 }), /data of format 99, and this page reads 1/);
});

test('loops are unrolled', () => {
  const { execution, tracedCycles, totalCycles } = reportOf([[0, 1], [1, 2], [0, 1]], [[2, 3], [1, 1]]);
  assert.deepEqual(execution.step, [0, 1, 0, 1, 0, 1, 0]);
  assert.deepEqual(execution.count, [1, 2, 1, 2, 1, 2, 1]);
  assert.deepEqual(execution.begin, [0, 10, 30, 40, 60, 70, 90, 100]);
  assert.equal(tracedCycles, 100);
  assert.equal(totalCycles, 20); // of the steps' own counts
});

test('a loop with too many turns is drawn as one, of the same length', () => {
  const { execution, tracedCycles } = reportOf([[0, 1], [1, 2]], [[2, 1e9]]);
  assert.deepEqual(execution.step, [0, 1]);
  assert.deepEqual(execution.count, [1e9, 2e9]);
  assert.equal(tracedCycles, 3e10);
  assert.ok(execution.hasLongLoops);
});

test('the rows of the trace are runs, kinds of steps with their syncs, and names by depth', () => {
  const { runs, lanes, depths, labels } = makeRows(reportOf([[0, 1], [1, 2]], [[2, 1]]));
  assert.deepEqual([runs.begins, runs.ends], [[0], [30]]);
  assert.deepEqual(lanes.map((row) => row.title), ['Compute', 'Exchange', 'Sync']);
  assert.deepEqual([lanes[0].begins, lanes[0].ends], [[4], [10]]);
  assert.deepEqual([lanes[2].begins, lanes[2].ends], [[0, 10], [4, 18]]);
  assert.deepEqual(depths.map((row) => row.labels.map((label) => labels.texts[label])), [['a'], ['a/x', 'a/y']]);
  assert.equal(shortName('a/b/c'), 'c');
});

/** Spans of one cycle, each with a label of its own. */
function denseRow(count) {
  const row = new Row('dense');
  for (let i = 0; i < count; ++i) row.add(i, i + 1, i, i, 0.5);
  row.finish();
  return row;
}

function visible(row, from, to, pixels) {
  const marks = [];
  row.forEachVisible(from, to, pixels, (mark) => marks.push(mark));
  return marks;
}

test('what is drawn is bounded by the pixels, and leaves nothing out', () => {
  const row = denseRow(100_000);
  for (const [from, to, pixels] of [[0, 100_000, 1000], [0, 100_000, 7], [500, 1500, 1000], [99_990, 100_000, 500], [123.5, 45_678.25, 640]]) {
    const marks = visible(row, from, to, pixels);
    assert.ok(marks.length <= 2 * pixels, `${marks.length} marks on ${pixels} pixels`);
    assert.equal(marks[0].first, Math.floor(from));
    assert.equal(marks.at(-1).last, Math.min(100_000, Math.ceil(to)));
    marks.slice(1).forEach((mark, i) => assert.equal(mark.first, marks[i].last));
    marks.forEach((mark) => assert.ok(mark.worked === 0.5 && mark.share > 0 && mark.share <= 1));
  }
});

test('a span is found by its time', () => {
  const row = new Row('gaps');
  row.add(10, 20, 0, 0);
  row.add(30, 40, 1, 1);
  row.finish();
  assert.deepEqual([5, 10, 19, 20, 35, 40].map((time) => row.at(time)), [-1, 0, 0, -1, 1, -1]);
  row.match((label) => label === 1);
  assert.deepEqual([row.matchesIn(0, 1), row.matchesIn(0, 2)], [false, true]);
});

test('a search ignores case, and is told when it changes', () => {
  const search = new Search();
  let changes = 0;
  search.onChange(() => (changes += 1));
  const report = { names: ['layer1/MatMul', 'layer2/conv'] };
  assert.deepEqual([...search.matchesOf(report)], [1, 1]);
  search.set(' MATMUL ');
  assert.deepEqual([...search.matchesOf(report)], [1, 0]);
  search.set('matmul');
  assert.equal(changes, 1);
});

test('numbers read well', () => {
  assert.equal(format.bytes(0), '0 B');
  assert.equal(format.bytes(1536), '1.5 KiB');
  assert.equal(format.bytesInFull(638_976), '638,976 B (624 KiB)');
  assert.equal(format.byUnit('hertz', 1.33e9), '1,330 MHz');
  assert.equal(format.byUnit('seconds', 0.0125), '12.5 ms');
  assert.equal(format.byUnit('', 'text'), 'text');
  assert.equal(format.difference(100, 103), '+3 (+3 %)');
  assert.equal(format.difference(0, 5), '+5');
  assert.equal(format.difference(7, 7), '=');
  assert.equal(format.percent(1, 0), '–');
});
