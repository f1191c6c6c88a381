/**
 * Fixture logs of test/fixtures: `#!` lines contain the origin of the log and the state; `system| ` begins a line of the platform; every
 * other line is a program's original output.
 */
import type { FailureCode } from '../../../protocol/job-report.ts';
import {
  linesOfFailedPhase,
  warningsIn,
} from '../../../worker/domain/explanations/failure-rules/explain-failure.ts';
import type {
  Failed,
  FailedService,
  Failure,
} from '../../../worker/domain/explanations/failure-rules/failure.ts';

export interface Fixture {
  name: string;
  /** The origin of the log. */
  origin: string;
  lines: { stream: 'stdout' | 'system'; line: string }[];
  state: { what?: Failed; code?: FailureCode; message?: string; service?: Partial<FailedService> };
}

const failedService: FailedService = {
  id: 'svc_0123456789abcdef',
  kind: 'git',
  repoUrl: 'https://git.example.com/acme/web.git',
  branch: 'main',
  rootDir: null,
  imageRef: null,
  dockerfilePath: null,
  detectedBuildMethod: null,
  sourceFiles: null,
  staticOutput: null,
  runtimeMode: 'web',
  internalPort: 8080,
  healthCheckPath: null,
  memoryLimitMb: null,
};

/** @param files texts by path, in the form of import.meta.glob. */
export function readFixtures(files: Record<string, string>): Fixture[] {
  return Object.entries(files).map(([path, text]) => readFixture(path.replace(/^.*\/|\.log$/g, ''), text));
}

function readFixture(name: string, text: string): Fixture {
  const all = text.trimEnd().split('\n');
  const head = all.filter((line) => line.startsWith('#! ')).map((line) => line.slice(3));
  const state = head.find((line) => line.startsWith('state: '));
  const lines = all
    .filter((line) => !line.startsWith('#! '))
    .map((line) =>
      line.startsWith('system| ')
        ? { stream: 'system' as const, line: line.slice(8) }
        : { stream: 'stdout' as const, line },
    );
  return { name, origin: head[0] ?? '', lines, state: state ? JSON.parse(state.slice(7)) : {} };
}

/** The failure that produced this log; the last line contains its code and sentence, as the runner writes it. */
export function failureOf(fixture: Fixture, other: Partial<Failure> = {}): Failure {
  const [, code, message] = /^Failed \((\w+)\): (.*)$/s.exec(fixture.lines.at(-1)?.line ?? '') ?? [];
  return {
    code: fixture.state.code ?? ((code as FailureCode) || null),
    message: fixture.state.message ?? message ?? '',
    phase: 'build',
    lines: linesOfFailedPhase(fixture.lines),
    warnings: warningsIn(fixture.lines),
    service: { ...failedService, ...fixture.state.service },
    what: fixture.state.what ?? { kind: 'deployment', id: 'dep_0123456789abcdef' },
    ...{ serving: null, previousId: null },
    serviceName: 'shop/web',
    tool: 'curl',
    apiUrl: 'https://longshore.test',
    onInstalledHost: false,
    ...other,
  };
}
