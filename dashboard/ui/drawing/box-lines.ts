/** The lines between boxes of a drawing, from their places; without access to the page. */

export interface Edge {
  from: string;
  to: string;
}

/** A box in the drawing, in pixels. */
export interface Box {
  left: number;
  top: number;
  width: number;
  height: number;
}

/** How far a line leaves its box before it turns. */
const bendMin = 28;

/** A curve from the right side of a box to the left side of another, or around the right side to a box of the same column. */
export function lineBetween(from: Box, to: Box): string {
  const [x1, y1] = [from.left + from.width, from.top + from.height / 2];
  const y2 = to.top + to.height / 2;
  const isSameColumn = to.left < x1;
  const x2 = isSameColumn ? to.left + to.width : to.left;
  const bend = isSameColumn ? bendMin : Math.max(bendMin, (x2 - x1) / 2);
  const x3 = isSameColumn ? x2 + bend : x2 - bend;
  return `M${round(x1)} ${round(y1)}C${round(x1 + bend)} ${round(y1)} ${round(x3)} ${round(y2)} ${round(x2)} ${round(y2)}`;
}

/** Half pixels are enough. */
const round = (value: number) => Math.round(value * 2) / 2;

/** Orders boxes by the mean place of the boxes that point to them, so that fewer lines cross; boxes to which nothing points come last. */
export function besideSources(
  ids: readonly string[],
  sources: readonly string[],
  edges: readonly Edge[],
): string[] {
  const placeOf = (id: string) => {
    const places = edges.filter(({ to }) => to === id).map(({ from }) => sources.indexOf(from));
    const seen = places.filter((place) => place >= 0);
    return seen.length === 0 ? sources.length : seen.reduce((sum, place) => sum + place, 0) / seen.length;
  };
  return ids.toSorted((a, b) => placeOf(a) - placeOf(b));
}

/** Each box in a column after all boxes that point to it; in a circle, one line leads back. Boxes without lines are in the first column. */
export function columnsOf(ids: readonly string[], edges: readonly Edge[]): string[][] {
  const depth = new Map(ids.map((id) => [id, 0]));
  // A circle would never end, but no path is longer than the number of boxes.
  for (let round = 0; round < ids.length; round++) {
    let hasChanged = false;
    for (const { from, to } of edges) {
      const behind = (depth.get(from) ?? 0) + 1;
      if (from === to || behind <= (depth.get(to) ?? 0) || behind >= ids.length) continue;
      depth.set(to, behind);
      hasChanged = true;
    }
    if (!hasChanged) break;
  }
  const columns = Map.groupBy(ids, (id) => depth.get(id) ?? 0);
  return [...columns.keys()].toSorted((a, b) => a - b).map((column) => columns.get(column) ?? []);
}
