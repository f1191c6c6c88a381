/**
 * The vitest project of each test file, by its folder and suffix. `workers`: in workerd, with D1 and Durable Objects. `node`: in one process.
 * `processes`: starts the product's own programs, without Docker. `docker`: real Docker, Caddy, engines and git hosts. `e2e`: the real Worker
 * with real runner processes. `soak`: the additional tests of `npm run test:all`; `*.everything.test.ts` takes too long for that.
 */
import { existsSync, globSync } from 'node:fs';
import { relative, resolve } from 'node:path';

const others = '**/*.{docker,process,soak,everything}.test.ts';

/** The files of each project, as globs. */
export const testProjects = {
  workers: { include: ['test/worker/**/*.test.ts'], exclude: [] },
  node: {
    include: [
      'test/{protocol,client,cli,dashboard,runner,host,local,architecture,reliability,stand-ins}/**/*.test.ts',
    ],
    exclude: [others],
  },
  processes: {
    include: ['test/{client,cli,dashboard,runner,host,local,reliability}/**/*.process.test.ts'],
    exclude: [],
  },
  docker: { include: ['test/{runner,host,local,stand-ins}/**/*.docker.test.ts'], exclude: [] },
  e2e: { include: ['test/e2e/**/*.test.ts'], exclude: [others] },
  soak: {
    include: ['test/soak/**/*.test.ts', 'test/{runner,e2e,local,dashboard}/**/*.{soak,everything}.test.ts'],
    exclude: [],
  },
} satisfies Record<string, { include: string[]; exclude: string[] }>;

export type TestProject = keyof typeof testProjects;

/**
 * @param args of vitest. What has a slash or ends like a test file is a part of a path, as for vitest; `-t` and its text are not.
 * @returns the parts of paths, relative to the root
 */
export function pathsIn(args: readonly string[], root: string): string[] {
  return args
    .filter(
      (arg, index) => !arg.startsWith('-') && !['-t', '--testNamePattern'].includes(args[index - 1] ?? ''),
    )
    .filter((arg) => arg.includes('/') || arg.endsWith('.ts'))
    .map((arg) => arg.replace(/:\d+$/, ''))
    .map((arg) => (existsSync(resolve(root, arg)) ? relative(root, resolve(root, arg)) : arg));
}

/** @returns the projects that have a file whose path contains one of these parts; `soak` only if a part requests it */
export function projectsOf(paths: readonly string[], root: string): TestProject[] {
  return (Object.keys(testProjects) as TestProject[]).filter((project) => {
    const { include, exclude } = testProjects[project];
    const parts = project === 'soak' ? paths.filter((path) => /soak|everything/.test(path)) : paths;
    return globSync(include, { cwd: root, exclude }).some((file) =>
      parts.some((part) => file.includes(part)),
    );
  });
}
