/** Pages whose code is loaded when they are opened. */
import { type Component, lazy } from 'solid-js';

/** Milliseconds before each retry. When the network changes, a browser cancels its loads, and has the new network soon. */
const pausesMs = [300, 1_500];

/**
 * A page that is loaded on demand; failed loads are retried.
 * @throws the browser's error, shown in place of the page, if all tries failed
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
