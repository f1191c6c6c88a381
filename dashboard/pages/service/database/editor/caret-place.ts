/** Finds the position of the cursor in a field of several lines. Measures a copy of its text, because fields don't report positions. */

const copied = ['font', 'letterSpacing', 'lineHeight', 'padding', 'border', 'boxSizing', 'tabSize'] as const;

/** Width of the list, so that it stays inside the field. */
const listPx = 300;

/** @returns the position relative to the field's corner */
export function caretPlace(field: HTMLTextAreaElement, at: number): { left: string; top: string } {
  const style = getComputedStyle(field);
  const copy = document.createElement('div');
  for (const name of copied) copy.style[name] = style[name];
  copy.style.width = `${field.clientWidth}px`;
  copy.style.position = 'absolute';
  copy.style.visibility = 'hidden';
  copy.style.whiteSpace = 'pre-wrap';
  copy.style.overflowWrap = 'break-word';
  copy.textContent = field.value.slice(0, at);
  const mark = document.createElement('span');
  mark.textContent = field.value.slice(at) || '.';
  copy.append(mark);
  field.parentElement?.append(copy);
  const left = mark.offsetLeft;
  const top = mark.offsetTop + lineHeight(style) - field.scrollTop;
  copy.remove();
  // The page may become narrower while the list is open.
  return { left: `min(${left}px, max(0px, 100% - ${listPx}px))`, top: `${top}px` };
}

const lineHeight = ({ lineHeight: set, fontSize }: CSSStyleDeclaration) =>
  Number.parseFloat(set) || 1.5 * Number.parseFloat(fontSize);
