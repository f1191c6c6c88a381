/** `project`: projects that have no service yet. */
import { buildRouteMap } from '@stricli/core';
import { buildCommand } from '../base/command.ts';
import { usageFailure } from '../base/failure.ts';
import { about, type CommandLine, type CommonFlags, commonFlags, openSession } from '../session.ts';

const create = buildCommand({
  docs: about(
    'Create a project',
    'Needed only for a project that is prepared before its first deployment: longshore up, service create and db create make a missing project themselves.',
  ),
  parameters: {
    flags: commonFlags,
    positional: {
      kind: 'tuple',
      parameters: [{ brief: 'Name of the project', parse: String, placeholder: 'name' }],
    },
  },
  async func(this: CommandLine, flags: CommonFlags, name: string) {
    const session = await openSession(this, flags);
    const same = (await session.projects()).find((one) => [one.slug, one.name].includes(name));
    if (same !== undefined) throw usageFailure(`There is a project ${same.slug} already.`);
    const reply = await session.client.call('POST /api/projects', { body: { name } });
    const { slug } = reply.project;
    session.output.answer(reply, () => slug);
    session.output.progress(
      `Next: longshore service create NAME -p ${slug}, or longshore db create NAME -p ${slug}`,
    );
  },
});

export const project = buildRouteMap({ docs: { brief: 'Projects: create' }, routes: { create } });
