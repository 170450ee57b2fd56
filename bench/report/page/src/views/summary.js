// What was compiled for what, in numbers: the facts of the profile by group, and the fullest tiles.
import { el } from '../dom.js';
import * as format from '../format.js';
import { makeList } from '../table.js';

export function groupsOf(report) {
  const groups = new Map();
  for (const fact of report.facts) {
    if (!groups.has(fact.group)) groups.set(fact.group, []);
    groups.get(fact.group).push(fact);
  }
  return groups;
}

export function summaryView(report) {
  const cards = [...groupsOf(report)].map(([group, facts]) =>
    el('div.card', {}, el('h4', {}, group),
      facts.length > 12
        ? el('details', {}, el('summary', {}, `${facts.length} entries`), listOf(facts))
        : listOf(facts)));
  return { element: el('div.cards', {}, ...cards) };
}

function listOf(facts) {
  return makeList(facts.map((fact) => [fact.name, format.byUnit(fact.unit, fact.value)]));
}
