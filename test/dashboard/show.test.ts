import { fileURLToPath } from 'node:url';
import { build, type Rollup } from 'vite';
import { beforeAll, expect, test } from 'vitest';

type Read = () => unknown;

/** What of the two `<Show>`s is used here, of the code that browsers run. */
interface Solid {
  createRoot<T>(made: (dispose: () => void) => T): T;
  createSignal<T>(value: T): [() => T, (value: T) => void];
  startTransition(change: () => void): Promise<void>;
  ours: Component;
  solids: Component;
}
type Component = (props: { when: unknown; fallback?: unknown; children: unknown }) => Read;

let solid: Solid;

beforeAll(async () => {
  const entry = fileURLToPath(new URL('../support/browser/both-shows.ts', import.meta.url));
  const [made] = (await build({
    configFile: false,
    logLevel: 'warn',
    resolve: { conditions: ['module', 'browser', 'production'] },
    build: { write: false, minify: false, lib: { entry, formats: ['es'], fileName: 'shows' } },
  })) as Rollup.RollupOutput[];
  const code = made?.output[0].code ?? '';
  solid = await import(`data:text/javascript,${encodeURIComponent(code)}`);
});

/** A `<Show>` that gives its accessor to the test, as a handler or a query of its content keeps it. */
function shown(show: Component, value: unknown) {
  return solid.createRoot(() => {
    const [when, setWhen] = solid.createSignal<unknown>(value);
    let given: Read = () => 'nothing was rendered';
    let renders = 0;
    const content = show({
      get when() {
        return when();
      },
      fallback: 'fallback',
      children: (read: Read) => {
        given = read;
        renders += 1;
        return 'content';
      },
    });
    return { setWhen, content, read: () => given(), renders: () => renders };
  });
}

test('the accessor of Show follows its condition, and answers the last value after the end', () => {
  const { setWhen, content, read, renders } = shown(solid.ours, 'first');
  expect([content(), read(), renders()]).toEqual(['content', 'first', 1]);
  setWhen('second');
  expect([content(), read(), renders()]).toEqual(['content', 'second', 1]);
  setWhen(undefined);
  expect([content(), read(), renders()]).toEqual(['fallback', 'second', 1]);
  setWhen('third');
  expect([content(), read(), renders()]).toEqual(['content', 'third', 2]);
});

test('a transition in which the condition ends reads the last value, where Solid alone throws', async () => {
  for (const [show, expected] of [
    [solid.solids, /Stale read from <Show>/],
    [solid.ours, /^first$/],
  ] as const) {
    const { setWhen, read } = shown(show, 'first');
    let seen: unknown;
    await solid.startTransition(() => {
      setWhen(undefined);
      try {
        seen = read();
      } catch (thrown) {
        seen = thrown;
      }
    });
    expect(String(seen)).toMatch(expected);
  }
});

test('content that is no function is made once for as long as the condition holds', () => {
  solid.createRoot(() => {
    const [when, setWhen] = solid.createSignal<unknown>(1);
    let made = 0;
    const content = solid.ours({
      get when() {
        return when();
      },
      get children() {
        made += 1;
        return 'content';
      },
    });
    setWhen(2);
    expect([content(), made]).toEqual(['content', 1]);
    setWhen(0);
    expect(content()).toBeUndefined();
  });
});
