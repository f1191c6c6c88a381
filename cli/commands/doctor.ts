/** `doctor`: checks this machine, the key and the instance. */
import { buildCommand } from '../base/command.ts';
import { exitCodes, Failure, told } from '../base/failure.ts';
import { createOutput } from '../base/output.ts';
import { pathOf } from '../names/find.ts';
import {
  about,
  type CommandLine,
  type CommonFlags,
  clientOf,
  commonFlags,
  openSession,
  type Session,
} from '../session.ts';
import { chooseContext } from '../settings/contexts.ts';
import { readLink } from '../settings/link.ts';

interface Check {
  name: string;
  ok: boolean;
  detail: string;
}

export const doctor = buildCommand({
  docs: about(
    'Check settings, connection, key, link and services',
    'Each line is one check; the exit code is 1 if one of them failed.',
  ),
  parameters: { flags: commonFlags },
  async func(this: CommandLine, flags: CommonFlags) {
    const output = createOutput(this.process, flags.json);
    const checks: Check[] = [];
    const check = async (name: string, test: () => Promise<string>) => {
      const one = await test().then(
        (detail) => ({ name, ok: true, detail }),
        (error: unknown) => ({ name, ok: false, detail: told(error).text }),
      );
      checks.push(one);
      return one.ok;
    };
    if (
      await check('context', async () =>
        contextLine(await chooseContext(this.process.env, flags.context, this.process.cwd())),
      )
    ) {
      const session = await openSession(this, flags);
      if (await check('control plane and key', () => keyLine(session.context))) {
        await check('link of this folder', () => linkLine(session));
        await check('services', () => servicesLine(session));
      }
    }
    const mark = (ok: boolean) => (ok ? output.style('green', 'ok  ') : output.style('red', 'FAIL'));
    output.answer({ ok: checks.every(({ ok }) => ok), checks }, () =>
      checks.map(({ name, ok, detail }) => `${mark(ok)}  ${name}: ${detail}`).join('\n'),
    );
    if (checks.some(({ ok }) => !ok)) this.process.exitCode = exitCodes.failed;
  },
});

const contextLine = ({ name, url }: { name: string; url: string }) => `${name}, ${url}`;

async function keyLine(context: Session['context']): Promise<string> {
  const from = performance.now();
  const { key } = await clientOf(context).call('GET /api/key');
  const expires = key.expiresAt === null ? 'never expires' : `expires ${key.expiresAt}`;
  return `"${key.name}" may ${key.may.join(', ')}; ${expires}; answered in ${Math.round(performance.now() - from)} ms`;
}

async function linkLine(session: Session): Promise<string> {
  const link = await readLink(session.directory);
  if (link === undefined) return 'none (longshore link PROJECT/SERVICE)';
  if (link.service === undefined) return `project ${link.project}`;
  const found = await session.find({ json: false });
  return `${pathOf(found)} is ${found.service.status}`;
}

/** Counts the services. @throws Failure with those that are down */
async function servicesLine(session: Session): Promise<string> {
  const services = (await session.projects()).flatMap(({ services }) => services);
  const down = services.filter(({ status }) => ['failed', 'crashed'].includes(status));
  if (down.length > 0)
    throw new Failure(
      `${services.length}; these need attention: ${down.map(({ slug, status }) => `${slug} (${status})`).join(', ')}. To see why: longshore explain ${down[0]?.slug}`,
    );
  return `${services.length}, none failed or crashed`;
}
