/** Where the cursor of a field of several lines is, in pixels from the field's corner: a copy of its text is measured, as fields don't tell. */

const copied = ['font', 'letterSpacing', 'lineHeight', 'padding', 'border', 'boxSizing', 'tabSize'] as const;

export function caretPlace(field: HTMLTextAreaElement, at: number): { left: number; top: number } {
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
  const place = { left: mark.offsetLeft, top: mark.offsetTop + lineHeight(style) - field.scrollTop };
  copy.remove();
  return place;
}

const lineHeight = ({ lineHeight: set, fontSize }: CSSStyleDeclaration) =>
  Number.parseFloat(set) || 1.5 * Number.parseFloat(fontSize);
