/**
 * The layout of a project's services: a service comes before the services to which it refers, from left to right if there is enough width, else from
 * top to bottom. Cycles are drawn too, with an edge in the opposite direction.
 */

export interface Edge {
  from: string;
  to: string;
}

export interface Place {
  id: string;
  x: number;
  y: number;
}

export interface MapLayout {
  places: Place[];
  /** A curve for each edge, in the order of the edges. */
  paths: string[];
  width: number;
  height: number;
}

export const box = { width: 164, height: 46 } as const;
const gap = { along: 76, across: 18 } as const;
/** Space for the focus frame. */
const margin = 4;
/** Narrower pages are drawn from top to bottom. */
const narrowMax = 640;

/** @param ids of services, in their order @param width of the page in pixels */
export function layoutOf(ids: readonly string[], edges: readonly Edge[], width: number): MapLayout {
  const layers = layersOf(ids, edges);
  const widest = layers.length * (box.width + gap.along) - gap.along + 2 * margin;
  return width < narrowMax || widest > width ? downward(layers, edges, width) : rightward(layers, edges);
}

/** Each service is in a layer after all services that refer to it. */
function layersOf(ids: readonly string[], edges: readonly Edge[]): string[][] {
  const depth = new Map(ids.map((id) => [id, 0]));
  // A cycle would never end, but no path is longer than the number of services.
  for (let round = 0; round < ids.length; round++) {
    let hasChanged = false;
    for (const { from, to } of edges) {
      const behind = (depth.get(from) ?? 0) + 1;
      if (behind <= (depth.get(to) ?? 0) || behind >= ids.length) continue;
      depth.set(to, behind);
      hasChanged = true;
    }
    if (!hasChanged) break;
  }
  const layers = Map.groupBy(ids, (id) => depth.get(id) ?? 0);
  return [...layers.keys()].sort((one, other) => one - other).map((layer) => layers.get(layer) ?? []);
}

function rightward(layers: readonly string[][], edges: readonly Edge[]): MapLayout {
  const most = Math.max(...layers.map(({ length }) => length));
  const height = most * (box.height + gap.across) - gap.across;
  const places = layers.flatMap((ids, layer) => {
    const taken = ids.length * (box.height + gap.across) - gap.across;
    return ids.map((id, index) => ({
      id,
      x: margin + layer * (box.width + gap.along),
      y: margin + (height - taken) / 2 + index * (box.height + gap.across),
    }));
  });
  const width = layers.length * (box.width + gap.along) - gap.along + 2 * margin;
  const curve = (from: Place, to: Place) => {
    const [x1, y1, x2, y2] = [from.x + box.width, from.y + box.height / 2, to.x, to.y + box.height / 2];
    const bend = Math.max(gap.along / 2, Math.abs(x2 - x1) / 2);
    return `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`;
  };
  return { places, paths: pathsOf(places, edges, curve), width, height: height + 2 * margin };
}

/** Layers as rows; a layer with too many services takes several rows. */
function downward(layers: readonly string[][], edges: readonly Edge[], width: number): MapLayout {
  const fit = Math.max(1, Math.floor((width - 2 * margin + gap.across) / (box.width + gap.across)));
  const places: Place[] = [];
  let y = margin;
  for (const ids of layers) {
    for (const [index, id] of ids.entries()) {
      if (index > 0 && index % fit === 0) y += box.height + gap.across;
      places.push({ id, x: margin + (index % fit) * (box.width + gap.across), y });
    }
    y += box.height + gap.along / 1.5;
  }
  const curve = (from: Place, to: Place) => {
    const [x1, y1, x2, y2] = [from.x + box.width / 2, from.y + box.height, to.x + box.width / 2, to.y];
    const bend = Math.max(gap.along / 3, Math.abs(y2 - y1) / 2);
    return `M${x1} ${y1}C${x1} ${y1 + bend} ${x2} ${y2 - bend} ${x2} ${y2}`;
  };
  const height = Math.max(...places.map((place) => place.y)) + box.height + margin;
  return {
    places,
    paths: pathsOf(places, edges, curve),
    width:
      Math.min(fit, Math.max(...layers.map(({ length }) => length))) * (box.width + gap.across) -
      gap.across +
      2 * margin,
    height,
  };
}

function pathsOf(
  places: readonly Place[],
  edges: readonly Edge[],
  curve: (from: Place, to: Place) => string,
): string[] {
  const byId = new Map(places.map((place) => [place.id, place]));
  return edges.map(({ from, to }) => {
    const [one, other] = [byId.get(from), byId.get(to)];
    return one && other ? curve(one, other) : '';
  });
}
