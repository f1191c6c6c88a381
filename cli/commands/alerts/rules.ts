/** `alerts rules`: a project's own alert rules and the default rules. */
import { buildRouteMap } from '@stricli/core';
import type { CallOptions, Project, ReplyOf } from '../../../client/client.ts';
import { buildCommand } from '../../base/command.ts';
import { durationFlag } from '../../base/duration.ts';
import { usageFailure } from '../../base/failure.ts';
import { confirm } from '../../base/prompts.ts';
import { table } from '../../base/table.ts';
import { chosenProject } from '../../data/project.ts';
import { findService } from '../../names/find.ts';
import { findNamed } from '../../names/named.ts';
import { missingName } from '../../names/nearest.ts';
import {
  about,
  serviceAliases as aliases,
  type CommandLine,
  openSession,
  type ServiceFlags,
  type Session,
  serviceFlags,
  switchFlag,
  textFlag,
} from '../../session.ts';
import { type Comparison, comparisonOf, comparisons, conditionOf, thresholdOf } from './rule-condition.ts';

type Rules = ReplyOf<'GET /api/projects/:projectId/alert-rules'>;
type NewRule = NonNullable<CallOptions<'POST /api/projects/:projectId/alert-rules'>['body']>;

const { service: _, ...projectFlags } = serviceFlags;
const projectAliases = { p: 'project' } as const;
type ProjectFlags = Omit<ServiceFlags, 'service'>;

const read = ({ client }: Session, { id }: Pick<Project, 'id'>): Promise<Rules> =>
  client.call('GET /api/projects/:projectId/alert-rules', { params: { projectId: id } });

const list = buildCommand({
  docs: about('List the alert rules of a project', 'Lists the rules of the project and the default rules.'),
  parameters: { flags: projectFlags, aliases: projectAliases },
  async func(this: CommandLine, flags: ProjectFlags) {
    const session = await openSession(this, flags);
    const project = await chosenProject(session, flags);
    const reply = await read(session, project);
    const slugs = new Map(project.services.map(({ id, slug }) => [id, slug]));
    const own = reply.rules.map((one) => [
      one.name,
      one.enabled ? 'on' : 'off',
      one.serviceId === null ? 'each service' : (slugs.get(one.serviceId) ?? one.serviceId),
      conditionOf(one),
    ]);
    const defaults = reply.defaults.map((one) => [
      one.rule,
      one.enabled ? 'on' : `off (${one.offBy})`,
      'default',
      one.text,
    ]);
    session.output.answer(reply, () =>
      table(['NAME', 'STATE', 'WATCHES', 'WHEN'], [...own, ...defaults], ''),
    );
  },
});

const forFlag = durationFlag('How long the condition must hold (default of a new rule: 5m)');

const add = buildCommand({
  docs: about(
    'Add an alert rule',
    'Watches every service of the project, or with -s one service. The metric is a series of longshore metrics, or cpuPercent, memoryPercent or errorPercent.',
    'longshore alerts rules add Busy cpuPercent above 80 --for 5m',
  ),
  parameters: {
    flags: { ...serviceFlags, for: forFlag },
    aliases,
    positional: {
      kind: 'tuple',
      parameters: [
        { brief: 'Name of the rule', parse: String, placeholder: 'name' },
        { brief: 'What is watched', parse: String, placeholder: 'metric' },
        { brief: 'above or below', parse: comparisonOf, placeholder: 'above|below' },
        { brief: 'Threshold, in the unit of the metric', parse: thresholdOf, placeholder: 'number' },
      ],
    },
  },
  async func(
    this: CommandLine,
    flags: ServiceFlags & { for?: number },
    name: string,
    metric: string,
    comparison: Comparison,
    threshold: number,
  ) {
    const session = await openSession(this, flags);
    const project = await chosenProject(session, flags);
    const service =
      flags.service === undefined
        ? undefined
        : findService([project], { project: project.id, service: flags.service }).service;
    const body = {
      ...{ name, metric, comparison, threshold },
      ...(flags.for === undefined ? {} : { forSeconds: flags.for }),
      ...(service ? { serviceId: service.id } : {}),
    } as NewRule; // The API knows the metrics, and lists them if it refuses one.
    const reply = await session.client.call('POST /api/projects/:projectId/alert-rules', {
      params: { projectId: project.id },
      body,
    });
    session.output.answer(reply, () => reply.rule.name);
    session.output.progress(`Watched: ${conditionOf(reply.rule)}.`);
  },
});

const ruleArgument = {
  kind: 'tuple',
  parameters: [{ brief: 'Name or id of the rule', parse: String, placeholder: 'rule' }],
} as const;

interface ChangeFlags extends ProjectFlags {
  name?: string;
  metric?: string;
  comparison?: Comparison;
  threshold?: number;
  for?: number;
}

const change = buildCommand({
  docs: { brief: 'Change an alert rule; settings without a flag do not change' },
  parameters: {
    flags: {
      ...projectFlags,
      name: textFlag('New name', 'name'),
      metric: textFlag('What is watched', 'metric'),
      comparison: {
        kind: 'enum',
        values: comparisons,
        brief: 'Alert when the value is above or below the threshold',
        optional: true,
      },
      threshold: {
        kind: 'parsed',
        parse: thresholdOf,
        brief: 'In the unit of the metric',
        optional: true,
        placeholder: 'number',
      },
      for: { ...forFlag, brief: 'How long the condition must hold: 30s, 5m, 1h' },
    },
    aliases: projectAliases,
    positional: ruleArgument,
  },
  async func(this: CommandLine, flags: ChangeFlags, name: string) {
    const { name: newName, metric, comparison, threshold, for: forSeconds } = flags;
    const body = { name: newName, metric, comparison, threshold, forSeconds };
    if (Object.values(body).every((one) => one === undefined))
      throw usageFailure('What changes? For example: --threshold 90');
    const session = await openSession(this, flags);
    const { rules } = await read(session, await chosenProject(session, flags));
    const rule = findNamed('alert rule', rules, name, (one) => one.name);
    const reply = await session.client.call('PATCH /api/alert-rules/:ruleId', {
      params: { ruleId: rule.id },
      body: body as NonNullable<CallOptions<'PATCH /api/alert-rules/:ruleId'>['body']>,
    });
    session.output.answer(reply, () => reply.rule.name);
    session.output.progress(`Watched: ${conditionOf(reply.rule)}.`);
  },
});

const remove = buildCommand({
  docs: about(
    'Remove an alert rule',
    'Open alerts of the rule end. A default rule cannot be removed: switch it off instead.',
  ),
  parameters: {
    flags: { ...projectFlags, yes: switchFlag('Do not ask for confirmation') },
    aliases: { ...projectAliases, y: 'yes' },
    positional: ruleArgument,
  },
  async func(this: CommandLine, flags: ProjectFlags & { yes: boolean }, name: string) {
    const session = await openSession(this, flags);
    const { rules, defaults } = await read(session, await chosenProject(session, flags));
    if (
      !rules.some((one) => one.id === name || one.name === name) &&
      defaults.some(({ rule }) => rule === name)
    )
      throw usageFailure(`${name} is a default rule. Switch it off: longshore alerts rules off ${name}`);
    const rule = findNamed('alert rule', rules, name, (one) => one.name);
    await confirm(this.process, `Remove the alert rule ${rule.name}?`, flags.yes);
    const reply = await session.client.call('DELETE /api/alert-rules/:ruleId', {
      params: { ruleId: rule.id },
    });
    session.output.answer(reply, () => rule.name);
  },
});

const switched = (brief: string, more: string, enabled: boolean) =>
  buildCommand({
    docs: about(brief, more),
    parameters: { flags: projectFlags, aliases: projectAliases, positional: ruleArgument },
    async func(this: CommandLine, flags: ProjectFlags, name: string) {
      const session = await openSession(this, flags);
      const project = await chosenProject(session, flags);
      const { rules, defaults } = await read(session, project);
      const own = rules.some((one) => one.id === name || one.name === name);
      const byDefault = defaults.find(({ rule }) => rule === name);
      if (!own && byDefault === undefined)
        throw usageFailure(
          missingName('alert rule', name, [
            ...rules.map((one) => one.name),
            ...defaults.map(({ rule }) => rule),
          ]),
        );
      const reply = own
        ? await session.client.call('PATCH /api/alert-rules/:ruleId', {
            params: { ruleId: findNamed('alert rule', rules, name, (one) => one.name).id },
            body: { enabled },
          })
        : await session.client.call('PATCH /api/projects/:projectId/default-alerts', {
            params: { projectId: project.id },
            body: { [name]: enabled },
          });
      session.output.answer(reply, () => name);
      if (
        enabled &&
        'defaults' in reply &&
        reply.defaults.find(({ rule }) => rule === name)?.enabled === false
      )
        session.output.progress(`The operator has switched ${name} off for the whole instance.`);
    },
  });

export const rules = buildRouteMap({
  docs: { brief: 'Rules that raise alerts in a project' },
  routes: {
    list,
    add,
    change,
    remove,
    on: switched('Switch an alert rule on', 'Takes a rule of the project, or a default rule.', true),
    off: switched(
      'Switch an alert rule off',
      'Takes a rule of the project, or a default rule, which is then off for this project only. Open alerts of the rule end.',
      false,
    ),
  },
});
