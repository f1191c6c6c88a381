/** A drawing of boxes with lines between them: the boxes are elements of the page, and the lines follow their places. */
import { createEffect, createSignal, For, type JSX, onCleanup, onMount } from 'solid-js';
import { Show } from '../show.ts';
import { type Edge, lineBetween } from './box-lines.ts';

/** Narrower drawings are lists without lines. */
const narrowMax = 720;

/** @param edges ids of boxes, which are given by `box` */
export function createBoxDrawing(edges: () => readonly Edge[]) {
  const boxes = new Map<string, Element>();
  const [paths, setPaths] = createSignal<readonly string[]>([]);
  const [width, setWidth] = createSignal(0);
  let frame: HTMLElement | undefined;
  const draw = () => {
    if (!frame) return;
    const origin = frame.getBoundingClientRect();
    const placeOf = (id: string) => {
      const rect = boxes.get(id)?.getBoundingClientRect();
      return (
        rect && {
          left: rect.left - origin.left,
          top: rect.top - origin.top,
          width: rect.width,
          height: rect.height,
        }
      );
    };
    setPaths(
      edges().map(({ from, to }) => {
        const [one, other] = [placeOf(from), placeOf(to)];
        return one && other ? lineBetween(one, other) : '';
      }),
    );
  };
  onMount(() => {
    const resized = new ResizeObserver(() => {
      setWidth(frame?.clientWidth ?? 0);
      draw();
    });
    if (frame) resized.observe(frame);
    onCleanup(() => resized.disconnect());
  });
  createEffect(() => {
    edges();
    requestAnimationFrame(draw);
  });
  return {
    isNarrow: () => width() > 0 && width() < narrowMax,
    paths,
    frame: (element: HTMLElement) => {
      frame = element;
    },
    box: (id: string) => (element: Element) => void boxes.set(id, element),
  };
}

interface BoxDrawingProps {
  drawing: ReturnType<typeof createBoxDrawing>;
  /** Whether a line, by its number, is that of the box to which the user points. */
  isPointed(line: number): boolean;
  children: JSX.Element;
}

export function BoxDrawing(props: BoxDrawingProps) {
  return (
    <div class="drawing" ref={props.drawing.frame}>
      <Show when={!props.drawing.isNarrow()}>
        <svg class="drawing-lines" aria-hidden="true">
          <For each={props.drawing.paths()}>
            {(path, index) => <path classList={{ pointed: props.isPointed(index()) }} d={path} />}
          </For>
        </svg>
      </Show>
      {props.children}
    </div>
  );
}
