import { expect, test } from 'vitest';
import type { deployPhases } from '../../../../protocol/job-report.ts';
import { deploymentTransition } from '../../../../worker/domain/jobs/deployment-state.ts';
import {
  type JobEvent,
  type JobSituation,
  openJobStates,
  terminalJobStates,
  transition,
} from '../../../../worker/domain/jobs/job-state.ts';
import { deployments } from '../../../../worker/store/schema/deployments.ts';
import { jobs } from '../../../../worker/store/schema/jobs.ts';

const queued: JobSituation = {
  kind: 'deploy',
  state: 'queued',
  phase: null,
  epoch: 0,
  abortRequestedAt: null,
};
const active: JobSituation = { ...queued, state: 'active', epoch: 1 };
const building: JobSituation = { ...active, phase: 'build' };
const aborting: JobSituation = { ...building, abortRequestedAt: 5 };
const switched: JobSituation = { ...active, phase: 'switch' };

const result = (outcome: 'succeeded' | 'failed' | 'aborted', epoch = 1): JobEvent => ({
  type: 'result-reported',
  epoch,
  outcome,
});
const phase = (name: (typeof deployPhases)[number], epoch = 1): JobEvent => ({
  type: 'phase-reported',
  epoch,
  phase: name,
});
const askSwitch = (epoch = 1): JobEvent => ({ type: 'switch-requested', epoch });

/** [job, event, what of the job changes; null: nothing ever comes of it] */
const table: [string, JobSituation, JobEvent, Partial<JobSituation> | null][] = [
  ['a claim raises the epoch', queued, { type: 'claimed' }, { state: 'active', epoch: 1 }],
  ['nothing is claimed twice', active, { type: 'claimed' }, null],
  ['a first phase is taken', active, phase('clone'), { phase: 'clone' }],
  ['phases go forward', building, phase('health'), { phase: 'health' }],
  ['a late phase does not go back', building, phase('clone'), {}],
  ['a repeated phase changes nothing', building, phase('build'), {}],
  ['no report moves a job to switch', building, phase('switch'), {}],
  ['no report moves a job past switch', building, phase('finish'), {}],
  ['no report moves a job away from switch', switched, phase('finish'), {}],
  ['a phase of another attempt is dropped', building, phase('start', 2), null],
  ['a phase of a queued job is dropped', queued, phase('clone', 0), null],
  ['the switch is granted', building, askSwitch(), { phase: 'switch' }],
  ['a repeated request is granted again', switched, askSwitch(), {}],
  ['no switch once abort was asked for', aborting, askSwitch(), null],
  ['no switch for another attempt', building, askSwitch(2), null],
  ['a success ends it', switched, result('succeeded'), { state: 'succeeded' }],
  ['a failure ends it', building, result('failed'), { state: 'failed' }],
  ['an aborted result ends it', aborting, result('aborted'), { state: 'aborted' }],
  ['a success that crossed the abort counts', aborting, result('succeeded'), { state: 'succeeded' }],
  ['a result of another attempt is dropped', building, result('succeeded', 2), null],
  ['a lost host fails the job', building, { type: 'runner-lost' }, { state: 'failed' }],
  ['a lost host ends an abort', aborting, { type: 'runner-lost' }, { state: 'aborted' }],
  ['no loss ends a switched job', switched, { type: 'runner-lost' }, null],
  ['a queued job is not lost', queued, { type: 'runner-lost' }, null],
  ['the deadline fails the job', building, { type: 'deadline-passed' }, { state: 'failed' }],
  ['the deadline ends an abort', aborting, { type: 'deadline-passed' }, { state: 'aborted' }],
  ['no deadline ends a switched job', switched, { type: 'deadline-passed' }, null],
  ['a queue that takes too long fails', queued, { type: 'queue-timed-out' }, { state: 'failed' }],
  ['what is at work no longer waits', active, { type: 'queue-timed-out' }, null],
  ['an undispatchable job fails', active, { type: 'undispatchable' }, { state: 'failed' }],
  ['a revoked host fails queued jobs', queued, { type: 'runner-revoked' }, { state: 'failed' }],
  ['a revoked host fails switched jobs too', switched, { type: 'runner-revoked' }, { state: 'failed' }],
];

test.each(table)('%s', (_, job, event, change) => {
  expect(transition(job, event)).toEqual(change === null ? null : { ...job, ...change });
});

test('nothing ever changes a finished job', () => {
  const events = table.map(([, , event]) => event);
  for (const state of terminalJobStates) {
    for (const event of events) expect(transition({ ...switched, state }, event)).toBeNull();
    for (const event of events) expect(transition({ ...active, state }, event)).toBeNull();
  }
});

test('every state of the table is open or terminal, and none is both', () => {
  const states = [...openJobStates, ...terminalJobStates];
  expect(new Set(states).size).toBe(states.length);
  expect([...states].sort()).toEqual([...jobs.state.enumValues].sort());
});

test('a deployment ends once, and a live one can only be superseded', () => {
  const events = [
    'started',
    'replaced',
    { jobEnded: 'succeeded' },
    { jobEnded: 'failed' },
    { jobEnded: 'aborted' },
  ] as const;
  const reached = Object.fromEntries(
    deployments.status.enumValues.map((status) => [
      status,
      events.map((event) => deploymentTransition(status, event)),
    ]),
  );
  expect(reached).toEqual({
    queued: ['building', null, 'running', 'failed', 'aborted'],
    building: ['building', null, 'running', 'failed', 'aborted'],
    running: [null, 'superseded', null, null, null],
    superseded: [null, null, null, null, null],
    failed: [null, null, null, null, null],
    aborted: [null, null, null, null, null],
  });
});
