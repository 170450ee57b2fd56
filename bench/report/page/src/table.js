// A table that is sorted by its headers, follows the search, and puts only some rows into the page.
import { el, replaceContent } from './dom.js';
import * as format from './format.js';

const FIRST_ROWS = 25;
const MORE_ROWS = 200;

function compare(a, b) {
  return typeof a === 'string' ? a.localeCompare(b) : a - b;
}

/**
 * @param {string} options.caption
 * @param {Array}  options.columns   {title, value(row), show?(row), text?: true}; `value` sorts, `show` is displayed
 * @param {Array}  options.rows
 * @param {number} options.sort      index of the column to begin with; numbers go largest first
 * @param options.filter             (row) => boolean; asked again on update()
 * @param options.onSelect           (row) => void; makes rows clickable
 * @returns {{element, update}}
 */
export function makeTable({ caption, columns, rows, sort = 0, filter = () => true, onSelect }) {
  const state = { column: sort, descending: !columns[sort].text, limit: FIRST_ROWS };
  const heads = columns.map((column, index) =>
    el('th', { scope: 'col', class: column.text ? 'text' : 'number' },
      el('button', { type: 'button', on: { click: () => sortBy(index) } }, column.title)));
  const body = el('tbody');
  const note = el('span.note');
  const more = el('button', { type: 'button', on: { click: () => showMore() } }, 'Show more');
  const element = el('div.table', {},
    el('div.scroll', { tabindex: 0, role: 'region', 'aria-label': caption },
      el('table', {}, el('caption', {}, caption), el('thead', {}, el('tr', {}, ...heads)), body)),
    el('p', {}, note, ' ', more));

  function sortBy(column) {
    state.descending = column === state.column ? !state.descending : !columns[column].text;
    state.column = column;
    update();
  }

  function showMore() {
    state.limit += MORE_ROWS;
    update();
  }

  function makeCell(column, row, index) {
    const text = (column.show ?? column.value)(row);
    const shown = typeof text === 'number' ? format.count(text) : text;
    const content = onSelect && index === 0
      ? el('button.link', { type: 'button', on: { click: () => onSelect(row) } }, shown || '(no name)') : shown;
    return el('td', { class: column.text ? 'text' : 'number' }, content);
  }

  function update() {
    const { value } = columns[state.column];
    const sign = state.descending ? -1 : 1;
    const visible = rows.filter(filter).sort((a, b) => sign * compare(value(a), value(b)));
    const shown = visible.slice(0, state.limit);
    replaceContent(body, ...shown.map((row) => el('tr', {}, ...columns.map((column, i) => makeCell(column, row, i)))));
    heads.forEach((head, index) => head.setAttribute('aria-sort',
      index !== state.column ? 'none' : state.descending ? 'descending' : 'ascending'));
    const hidden = rows.length - visible.length;
    note.textContent = `${format.count(shown.length)} of ${format.count(visible.length)}` +
      (hidden ? `; the search hides ${format.count(hidden)}` : '');
    more.hidden = shown.length === visible.length;
  }

  update();
  return { element, update };
}

/** Name and value, one below the other. */
export function makeList(pairs) {
  return el('dl', {}, ...pairs.map(([name, value]) => el('div', {}, el('dt', {}, name), el('dd', {}, value))));
}
