/** Rooms whose code is loaded when they are opened. */
import { type Component, lazy } from 'solid-js';

/** Milliseconds before each further try. A browser ends what it is loading when the network changes, and has the new one soon. */
const pausesMs = [300, 1_500];

/**
 * A room that is loaded on demand; a file that does not come is asked for again.
 * @throws the browser's error, in the room's place, if it came none of the times
 */
export const lazyRoom = <Props extends Record<string, unknown>>(
  load: () => Promise<{ default: Component<Props> }>,
) =>
  lazy(async () => {
    for (const pauseMs of pausesMs) {
      try {
        return await load();
      } catch {
        await new Promise((resume) => setTimeout(resume, pauseMs));
      }
    }
    return await load();
  });
