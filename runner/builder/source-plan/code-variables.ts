/** Finds the environment variables that code reads, by the ways in which languages read them. A hint: it may miss names and find unused ones. */
import { variableName } from '../../../protocol/env-text.ts';
import type { SourceText } from './source-texts.ts';

const name = '([A-Z_][A-Z0-9_]*)';
const quoted = `["'\`]${name}["'\`]`;

/** Each pattern has the name as its only group. */
const reads: readonly RegExp[] = [
  // JavaScript and its relatives
  new RegExp(`\\b(?:process|Bun)\\.env(?:\\.|\\?\\.)${name}\\b`, 'g'),
  new RegExp(`\\b(?:process|Bun)\\.env\\[\\s*${quoted}`, 'g'),
  new RegExp(`\\bimport\\.meta\\.env\\.${name}\\b`, 'g'),
  new RegExp(`\\bDeno\\.env\\.get\\(\\s*${quoted}`, 'g'),
  // Python
  new RegExp(`\\bos\\.environ(?:\\.get\\(|\\.setdefault\\(|\\.pop\\(|\\[)\\s*${quoted}`, 'g'),
  new RegExp(`\\b(?:os\\.)?getenv\\(\\s*${quoted}`, 'g'),
  // Ruby
  new RegExp(`\\bENV(?:\\.fetch\\(|\\.fetch |\\[)\\s*${quoted}`, 'g'),
  // Go, Rust, PHP, JVM, .NET, Elixir
  new RegExp(`\\bos\\.(?:Getenv|LookupEnv)\\(\\s*${quoted}`, 'g'),
  new RegExp(`\\benv::var(?:_os)?\\(\\s*${quoted}`, 'g'),
  new RegExp(`\\b(?:option_)?env!\\(\\s*${quoted}`, 'g'),
  new RegExp(`\\$_(?:ENV|SERVER)\\[\\s*${quoted}`, 'g'),
  new RegExp(`\\bSystem\\.getenv\\(\\s*${quoted}`, 'g'),
  new RegExp(`\\bEnvironment\\.GetEnvironmentVariable\\(\\s*${quoted}`, 'g'),
  new RegExp(`\\bSystem\\.(?:get_env|fetch_env!?)\\(\\s*${quoted}`, 'g'),
  // `env('APP_KEY')` of Laravel, django-environ and Prisma
  new RegExp(`(?<![\\w.$])env(?:\\.(?:str|int|bool|url|db|list|float|json))?\\(\\s*${quoted}`, 'g'),
];

/** Set by the platform, the machine or the tools, not by people; the names that begin with these are not asked for. */
const ofMachine =
  /^(?:PATH|HOME|USER|SHELL|PWD|TMPDIR|TEMP|TMP|LANG|LC_.*|TERM|HOSTNAME|TZ|PORT|CI|DEBUG|NODE_ENV|npm_.*|NEXT_RUNTIME|NEXT_PHASE|VITEST.*|JEST_.*|GITHUB_.*|VERCEL.*|NETLIFY.*|RAILWAY_.*|DYNO|NO_COLOR|FORCE_COLOR|MODE|DEV|PROD|SSR|REQUEST_.*|HTTP_.*|SERVER_.*|REMOTE_.*|SCRIPT_.*|DOCUMENT_ROOT|QUERY_STRING|PYTHON.*|CARGO_.*|OUT_DIR|GOFLAGS|GOPATH)$/;

export interface FoundVariable {
  key: string;
  /** `src/db.ts:12`, in the order of the files. */
  places: string[];
}

/** @param placesMax of each variable */
export function codeVariables(
  texts: readonly SourceText[],
  { keysMax, placesMax }: { keysMax: number; placesMax: number },
): FoundVariable[] {
  const found = new Map<string, string[]>();
  for (const { path, text } of texts) {
    for (const pattern of reads) {
      for (const match of text.matchAll(pattern)) {
        const key = match[1] ?? '';
        if (!variableName.test(key) || key.length > 100 || ofMachine.test(key)) continue;
        const places = found.get(key) ?? [];
        if (found.size >= keysMax && places.length === 0) continue;
        found.set(key, places);
        const place = `${path}:${lineOf(text, match.index)}`;
        if (places.length < placesMax && !places.includes(place)) places.push(place);
      }
    }
  }
  return Array.from(found, ([key, places]) => ({ key, places }));
}

function lineOf(text: string, index: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < index; at = text.indexOf('\n', at + 1)) line += 1;
  return line;
}
