// Elements are made here, and only here: text is always text, so that no name of a program becomes markup.

/**
 * @param {string} tag      "section", or "p.note" with a class
 * @param {object} set      attributes; `on` is an object of event listeners
 * @param  children         elements or text
 */
export function el(tag, set = {}, ...children) {
  const [name, ...classes] = tag.split('.');
  const element = document.createElement(name);
  if (classes.length) element.className = classes.join(' ');
  for (const [key, value] of Object.entries(set)) {
    if (key === 'on') for (const [event, listener] of Object.entries(value)) element.addEventListener(event, listener);
    else if (value !== undefined && value !== false) element.setAttribute(key, value === true ? '' : value);
  }
  element.append(...children.filter((child) => child !== undefined && child !== null));
  return element;
}

export function replaceContent(element, ...children) {
  element.replaceChildren(...children.filter((child) => child !== undefined && child !== null));
}

/** The value of a custom property of the style sheet, which follows the light or dark scheme. */
export function styleValue(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

const redraws = new Set();
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => redraws.forEach((redraw) => redraw()));

/** Canvases have to be drawn again when the scheme changes. */
export function onSchemeChange(redraw) {
  redraws.add(redraw);
}

/** Calls `draw` once, when the element comes near the window: charts far down cost nothing at first. */
export function whenNear(element, draw) {
  const observer = new IntersectionObserver(
    (entries) => {
      if (!entries.some((entry) => entry.isIntersecting)) return;
      observer.disconnect();
      draw();
    },
    { rootMargin: '600px' },
  );
  observer.observe(element);
}
