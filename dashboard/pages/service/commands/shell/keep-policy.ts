/**
 * Lets xterm work under the policy of the pages, which allows neither style elements nor style attributes. While a terminal is shown, the text of
 * a style element that a script creates becomes a constructed style sheet, and a style attribute the style of the element: scripts may set both.
 * xterm's own option `documentOverride` does not reach all its parts.
 */

const sheets = new Set<CSSStyleSheet>();
/** Terminals that are shown: the page makes the next one before it has removed the last one. */
let users = 0;

/** Creates elements differently from now on. @returns ends that, when the last terminal has gone */
export function keepPolicy(): () => void {
  users += 1;
  document.createElement = createElement as typeof document.createElement;
  return () => {
    users -= 1;
    if (users > 0) return;
    Reflect.deleteProperty(document, 'createElement');
    publish(() => sheets.clear());
  };
}

const create = (name: string, options?: ElementCreationOptions): HTMLElement =>
  Document.prototype.createElement.call(document, name, options);

function createElement(name: string, options?: ElementCreationOptions): HTMLElement {
  if (name === 'style') return styleElement();
  const element = create(name, options);
  element.setAttribute = setAttribute;
  return element;
}

function publish(change: () => void): void {
  const others = document.adoptedStyleSheets.filter((sheet) => !sheets.has(sheet));
  change();
  document.adoptedStyleSheets = [...others, ...sheets];
}

/** Stands for a style element: it is in the page, but has no text there. */
function styleElement(): HTMLElement {
  const element = create('span');
  const sheet = new CSSStyleSheet();
  let text = '';
  element.hidden = true;
  Object.defineProperty(element, 'textContent', {
    get: () => text,
    set(value: string) {
      text = value;
      sheet.replaceSync(value);
    },
  });
  element.remove = () => {
    Element.prototype.remove.call(element);
    publish(() => sheets.delete(sheet));
  };
  publish(() => sheets.add(sheet));
  return element;
}

function setAttribute(this: HTMLElement, name: string, value: string): void {
  if (name === 'style') this.style.cssText = value;
  else Element.prototype.setAttribute.call(this, name, value);
}
