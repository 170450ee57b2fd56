// Compute sets and the types of their vertices.
import { el, replaceContent } from '../dom.js';
import * as format from '../format.js';
import { indices } from '../report.js';
import { makeTable } from '../table.js';

export function verticesView(report, search) {
  const { computeSets: sets, vertexTypes: types, setVertices } = report;
  const found = (names) => (row) => !search.active || Boolean(search.matchesOf(report)[names[row]]);
  const detail = el('div.detail', { 'aria-live': 'polite' });
  const setTable = makeTable({
    caption: 'Compute sets',
    rows: indices(sets.name.length),
    filter: found(sets.name),
    columns: [
      { title: 'Compute set', text: true, value: (set) => report.nameOf(sets.name[set]) },
      { title: 'Vertices', value: (set) => sets.vertices[set] },
      { title: 'Executions', value: (set) => sets.executions[set] },
      { title: 'Cycles', value: (set) => sets.cycles[set] },
      { title: 'Share', value: (set) => sets.cycles[set], show: (set) => format.percent(sets.cycles[set], report.totalCycles) },
    ],
    sort: 3,
    onSelect: showSet,
  });
  const typeTable = makeTable({
    caption: 'Vertex types',
    rows: indices(types.name.length),
    filter: found(types.name),
    columns: [
      { title: 'Vertex type', text: true, value: (type) => report.nameOf(types.name[type]) },
      { title: 'Vertices', value: (type) => types.count[type] },
      { title: 'Vertex cycles', value: (type) => types.cycles[type] },
      { title: 'Code a tile', value: (type) => types.codeBytes[type], show: (type) => format.bytes(types.codeBytes[type]) },
      { title: 'State', value: (type) => types.stateBytes[type], show: (type) => format.bytes(types.stateBytes[type]) },
    ],
    sort: 2,
    onSelect: showType,
  });

  function setsOf(type) {
    return rowsWhere((row) => setVertices.type[row] === type);
  }

  function rowsWhere(holds) {
    return indices(setVertices.set.length).filter(holds);
  }

  function showSet(set) {
    showRows(report.nameOf(sets.name[set]), 'Vertex type', rowsWhere((row) => setVertices.set[row] === set),
      (row) => report.nameOf(types.name[setVertices.type[row]]));
  }

  function showType(type) {
    showRows(report.nameOf(types.name[type]), 'Compute set', setsOf(type), (row) => report.nameOf(sets.name[setVertices.set[row]]));
  }

  function showRows(title, column, rows, name) {
    replaceContent(detail, el('h4', {}, title), makeTable({
      caption: `Vertices of ${title}`,
      rows,
      columns: [
        { title: column, text: true, value: name },
        { title: 'Vertices', value: (row) => setVertices.count[row] },
        { title: 'Vertex cycles, one execution', value: (row) => setVertices.cycles[row] },
      ],
      sort: 1,
    }).element);
  }

  const element = el('div', {}, el('div.columns', {}, setTable.element, typeTable.element), detail);
  return { element, update: () => { setTable.update(); typeTable.update(); } };
}
