// What the planners chose, where the profile says so.
import { el } from '../dom.js';
import { makeTable } from '../table.js';

/** @returns undefined when there are no plans */
export function plansView(report, search) {
  if (!report.plans.length) return undefined;
  const table = makeTable({
    caption: 'Plans',
    rows: report.plans,
    filter: (plan) => search.matchesText(plan.name) || search.matchesText(plan.text),
    columns: [
      { title: 'Operation', text: true, value: (plan) => plan.name },
      { title: 'Plan', text: true, value: (plan) => plan.text },
    ],
  });
  return { element: el('div', {}, table.element), update: table.update };
}
