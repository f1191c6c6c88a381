/** The widths that a user has given to the columns of a table, in pixels. They stay in this browser until the user signs out. */
import { keptPrefix } from '../../../api/session.ts';

/** @returns the way to make the head of a column resizable, and to keep its width */
export function columnWidths(tableId: string) {
  const key = `${keptPrefix}widths-${tableId}`;
  const widths = read(key);
  return (column: string, head: HTMLElement) => {
    const own = widths[column];
    if (own !== undefined) head.style.width = `${own}px`;
    head.addEventListener('pointerup', () => {
      // The browser sets a width only while the edge is dragged.
      const width = Number.parseFloat(head.style.width);
      if (!(width > 0) || width === widths[column]) return;
      widths[column] = Math.round(width);
      localStorage.setItem(key, JSON.stringify(widths));
    });
  };
}

function read(key: string): Record<string, number> {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(key) ?? '{}');
    return stored !== null && typeof stored === 'object'
      ? Object.fromEntries(Object.entries(stored).filter(([, width]) => typeof width === 'number'))
      : {};
  } catch {
    return {};
  }
}
