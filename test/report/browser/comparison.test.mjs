// Two profiles on one page.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertQuiet, coloursOf, expected, numberOf, pageFile, search, show, tableRows, useBrowser } from './page.mjs';

const browser = useBrowser({ width: 1500 });

test('two profiles stand side by side, with their differences', async () => {
  await browser().open(pageFile('both.html'));
  const [a, b] = [expected('matmul'), expected('conv')];
  for (const section of ['comparison', 'memory', 'liveness', 'execution', 'vertices']) await show(browser(), section);
  const facts = await tableRows(browser(), 'comparison', 'Facts');
  const cycles = facts.find((row) => row[0] === 'Cycles: all runs');
  assert.equal(cycles[1], `${a.cycles.toLocaleString('en')} cycles`);
  assert.equal(cycles[2], `${b.cycles.toLocaleString('en')} cycles`);
  const difference = b.cycles - a.cycles;
  assert.ok(cycles[3].startsWith((difference > 0 ? '+' : '') + difference.toLocaleString('en')), cycles[3]);
  const peaks = await browser().run(() => [...document.querySelectorAll('#memory .peak')].map((peak) => Number(peak.dataset.tile)));
  assert.deepEqual(peaks, [a.peakTile, b.peakTile]);
  const places = await browser().run(() => [...document.querySelectorAll('#memory .profile')].map((p) => p.getBoundingClientRect().x));
  assert.ok(places[1] > places[0] + 300);
  assert.ok(await coloursOf(browser(), '#comparison canvas') > 2);
  await assertQuiet(browser());
});

test('what only one of them has is compared with nothing, and the search filters the comparison', async () => {
  await browser().open(pageFile('both.html'));
  const [name] = expected('matmul').computeSetNames.filter((set) => !expected('conv').computeSetNames.includes(set));
  await search(browser(), name);
  const rows = await tableRows(browser(), 'comparison', 'Compute sets');
  assert.ok(rows.length > 0);
  const row = rows.find(([shown]) => shown === name);
  assert.equal(numberOf(row[2]), 0);
  assert.ok(row[3].includes('-') || numberOf(row[1]) === 0);
});
