/** @param signal ends the pause early */
export const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const ended = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', ended);
      resolve();
    };
    const timer = setTimeout(ended, ms);
    signal.addEventListener('abort', ended);
    if (signal.aborted) ended();
  });
