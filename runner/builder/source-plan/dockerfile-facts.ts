/** What a Dockerfile says about its image: ports, arguments, volumes, user. Nothing is built, so base images add nothing. */
import { argumentsOf } from '../dockerfile/declared-arguments.ts';
import { type Instruction, parseDockerfile } from '../dockerfile/parse.ts';

export interface DockerfileFacts {
  exposed: string[];
  /** Arguments without a default, from which variables of the service fill the build. */
  arguments: { name: string; line: number }[];
  volumes: string[];
  /** null: none is named, so that of the base image. */
  user: string | null;
  /** The image of the last stage, as it is written. */
  base: string | null;
}

/** @throws JobFailure with the line that can't be read */
export function dockerfileFacts(text: string): DockerfileFacts {
  const { instructions, escapeToken } = parseDockerfile(new TextEncoder().encode(text));
  const last = ofLastStage(instructions);
  const values = new Map<string, string>();
  const facts: DockerfileFacts = { exposed: [], arguments: [], volumes: [], user: null, base: null };
  for (const instruction of instructions) {
    const { keyword, rest, line } = instruction;
    if (keyword === 'ARG')
      for (const [name, value] of argumentsOf(instruction, escapeToken)) {
        if (value !== null) values.set(name, unquoted(value));
        else if (!values.has(name) && !facts.arguments.some((one) => one.name === name))
          facts.arguments.push({ name, line });
      }
    if (keyword === 'ENV')
      for (const match of rest.matchAll(/([A-Za-z_]\w*)=("[^"]*"|'[^']*'|\S*)/g))
        values.set(match[1] ?? '', unquoted(match[2] ?? ''));
    if (!last.has(instruction)) continue;
    const filled = rest.replace(
      /\$\{?(\w+)(?::-([^}]*))?\}?/g,
      (_, name: string, other = '') => values.get(name) ?? other,
    );
    if (keyword === 'EXPOSE') facts.exposed.push(...filled.split(/\s+/).filter((word) => word !== ''));
    if (keyword === 'VOLUME') facts.volumes.push(...listOf(filled).filter((path) => path.startsWith('/')));
    if (keyword === 'USER') facts.user = filled.trim() || null;
    if (keyword === 'FROM') facts.base = filled.trim().split(/\s+/)[0] ?? null;
  }
  return facts;
}

/** The instructions of the last stage and of the stages on which it is based. */
function ofLastStage(instructions: readonly Instruction[]): Set<Instruction> {
  const stages: { name: string | undefined; base: string | undefined; of: Instruction[] }[] = [];
  for (const instruction of instructions) {
    if (instruction.keyword === 'FROM') {
      const [base, , name] = instruction.rest.trim().split(/\s+/);
      stages.push({ base: base?.toLowerCase(), name: name?.toLowerCase(), of: [] });
    }
    stages.at(-1)?.of.push(instruction);
  }
  const found = new Set<Instruction>();
  for (let stage = stages.pop(); stage; ) {
    for (const instruction of stage.of) found.add(instruction);
    const { base } = stage;
    const at = stages.findLastIndex(
      ({ name }, index) => base !== undefined && (name === base || String(index) === base),
    );
    stage = at < 0 ? undefined : stages.splice(at)[0];
  }
  return found;
}

const unquoted = (value: string) => value.replace(/^(["'])(.*)\1$/, '$2');

/** `["/data", "/cache"]` or `/data /cache`. */
function listOf(text: string): string[] {
  try {
    const list: unknown = JSON.parse(text);
    if (Array.isArray(list)) return list.map(String);
  } catch {
    // words
  }
  return text.split(/\s+/).filter((word) => word !== '');
}
