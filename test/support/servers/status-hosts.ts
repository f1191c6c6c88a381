/**
 * The APIs for commit statuses of GitHub, GitLab, Gitea (Forgejo's is the same) and Bitbucket Cloud, as their documentation shows them:
 * requests are checked as strictly, answers and refusals have the same shape. `/<api>/<name>/<path of the API>`, so that each test has
 * servers of its own; `GET /<api>/<name>` gives back the statuses, `PUT` sets the checks that others have reported (commit-checks-answers). The token
 * decides what is refused: `tokens` below.
 * - https://docs.github.com/en/rest/commits/statuses#create-a-commit-status
 * - https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api
 * - https://docs.gitlab.com/api/commits/#set-commit-pipeline-status, https://docs.gitlab.com/security/rate_limits/
 * - https://docs.gitea.com/api/next/#tag/repository/operation/repoCreateStatus
 * - https://developer.atlassian.com/cloud/bitbucket/rest/api-group-commit-statuses/
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { checksAnswer, type OwnStatus, type Reported } from './commit-checks-answers.ts';

interface Answer {
  status: number;
  body: unknown;
  headers?: Record<string, string>;
}

interface GitHostApi {
  path: RegExp;
  authorization: (token: string) => string;
  body: z.ZodType<{ state: string }>;
  taken: Answer;
  refusal: (status: number, message: string) => Answer;
}

const link = z.url({ protocol: /^https?$/ });
const message = (status: number, sentence: string): Answer => ({ status, body: { message: sentence } });

const apis: Record<string, GitHostApi> = {
  github: {
    path: /^(?:\/api\/v3)?\/repos\/team\/app\/statuses\/[0-9a-f]{40}$/,
    authorization: (token) => `Bearer ${token}`,
    body: z.object({
      state: z.enum(['error', 'failure', 'pending', 'success']),
      target_url: link.nullable(),
      description: z.string().max(140),
      context: z.string(),
    }),
    taken: { status: 201, body: { id: 1, url: 'https://api.github.com/', creator: { login: 'octocat' } } },
    refusal: (status, sentence) => ({
      status,
      body: { message: sentence, documentation_url: 'https://docs.github.com/rest', status: String(status) },
    }),
  },
  gitlab: {
    path: /^\/api\/v4\/projects\/team%2Fapp\/statuses\/[0-9a-f]{40}$/,
    authorization: (token) => `Bearer ${token}`,
    body: z.object({
      state: z.enum(['pending', 'running', 'success', 'failed', 'canceled', 'skipped']),
      name: z.string(),
      target_url: link.max(255).optional(),
      description: z.string().max(255),
    }),
    taken: { status: 201, body: { id: 93, status: 'success', allow_failure: true } },
    refusal: (status, sentence) => message(status, status < 404 ? sentence : `${status} ${sentence}`),
  },
  gitea: {
    path: /^\/api\/v1\/repos\/team\/app\/statuses\/[0-9a-f]{40}$/,
    authorization: (token) => `token ${token}`,
    body: z.object({
      state: z.enum(['pending', 'success', 'error', 'failure', 'warning']),
      target_url: z.string(),
      description: z.string(),
      context: z.string(),
    }),
    taken: { status: 201, body: { id: 1, status: 'success' } },
    refusal: (status, sentence) => ({
      status,
      body: { message: sentence, url: 'https://gitea.com/api/swagger' },
    }),
  },
  bitbucket: {
    path: /^\/2\.0\/repositories\/team\/app\/commit\/[0-9a-f]{40}\/statuses\/build$/,
    authorization: (token) => `Bearer ${token}`,
    body: z.object({
      key: z.string().max(40),
      state: z.enum(['SUCCESSFUL', 'FAILED', 'INPROGRESS', 'STOPPED']),
      name: z.string(),
      url: link,
      description: z.string(),
    }),
    taken: { status: 201, body: { type: 'build', key: 'longshore' } },
    refusal: (status, sentence) => ({ status, body: { type: 'error', error: { message: sentence } } }),
  },
};

/** The answer for each refused token. GitHub reports its limits by 403 with a header, or without one by its sentence. */
const tokens: Record<string, (refusal: GitHostApi['refusal']) => Answer> = {
  expired: (refusal) => refusal(401, 'Bad credentials'),
  narrow: (refusal) => refusal(403, 'Resource not accessible by personal access token'),
  stranger: (refusal) => refusal(404, 'Not Found'),
  'unknown-commit': (refusal) => refusal(422, 'No commit found for SHA'),
  busy: (refusal) => ({ ...refusal(429, 'Too many requests'), headers: { 'retry-after': '1200' } }),
  'busy-until': (refusal) => ({
    ...refusal(429, 'Too many requests'),
    headers: { 'retry-after': new Date(Date.now() + 1_200_000).toUTCString() },
  }),
  limited: (refusal) => ({
    ...refusal(403, 'API rate limit exceeded for user ID 1.'),
    headers: {
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': String(Math.ceil(Date.now() / 1000) + 1_200),
    },
  }),
  secondary: (refusal) =>
    refusal(403, 'You have exceeded a secondary rate limit. Please wait a few minutes.'),
  maintenance: (refusal) => ({ ...refusal(503, 'Unavailable'), headers: { 'retry-after': '1200' } }),
};

export interface StatusHosts {
  url: string;
  close(): Promise<void>;
}

export async function startStatusHosts(): Promise<StatusHosts> {
  /** The accepted statuses by address, newest last. */
  const taken = new Map<string, { state: string }[]>();
  const reported = new Map<string, Reported[]>();
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    response.setHeader('connection', 'close');
    const [, api = '', name = '', ...rest] = (request.url ?? '').split('/');
    const statuses = taken.get(`${api}/${name}`) ?? [];
    taken.set(`${api}/${name}`, statuses);
    const place = `${api}/${name}`;
    if (rest.length === 0 && request.method === 'PUT') {
      reported.set(place, JSON.parse(await text(request)));
      return void response.end();
    }
    if (rest.length === 0) return void response.end(JSON.stringify(statuses));
    const of = apis[api];
    if (!of) return void response.writeHead(404).end();
    if (request.method === 'GET') {
      const facts = { own: statuses as OwnStatus[], others: reported.get(place) ?? [] };
      const read = readAnswer(of, request, () => checksAnswer(api, `/${rest.join('/')}`, facts));
      response.writeHead(read.status, { 'content-type': 'application/json', ...read.headers });
      return void response.end(JSON.stringify(read.body));
    }
    const { status, headers, body } = answerOf(of, `/${rest.join('/')}`, request.headers, {
      ...{ statuses, body: await text(request), isGitLab: api === 'gitlab' },
    });
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  };
  const server = createServer((request, response) => void serve(request, response));
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise<void>((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}

/** The checks are read with the same tokens, and refused for the same ones. */
function readAnswer(
  { authorization, refusal }: GitHostApi,
  { headers }: IncomingMessage,
  answer: () => unknown,
): Answer {
  if (!headers['user-agent']) return refusal(403, 'Request forbidden by administrative rules.');
  const refused = Object.keys(tokens).find((token) => headers.authorization === authorization(token));
  if (refused) return tokens[refused]?.(refusal) ?? refusal(500, '');
  if (headers.authorization !== authorization('good')) return refusal(401, 'Bad credentials');
  const body = answer();
  return body === undefined ? refusal(404, 'Not Found') : { status: 200, body };
}

function answerOf(
  { path, authorization, body: schema, taken, refusal }: GitHostApi,
  asked: string,
  headers: IncomingMessage['headers'],
  { statuses, body, isGitLab }: { statuses: { state: string }[]; body: string; isGitLab: boolean },
): Answer {
  if (!path.test(asked)) return refusal(404, 'Not Found');
  if (!headers['user-agent']) return refusal(403, 'Request forbidden by administrative rules.');
  const refused = Object.keys(tokens).find((token) => headers.authorization === authorization(token));
  if (refused) return tokens[refused]?.(refusal) ?? refusal(500, '');
  if (headers.authorization !== authorization('good')) return refusal(401, 'Bad credentials');
  const parsed = schema.safeParse(JSON.parse(body));
  if (!parsed.success) return refusal(422, JSON.stringify(parsed.error.issues));
  const problem = isGitLab ? transitionProblem(statuses.at(-1)?.state, parsed.data.state) : undefined;
  if (problem) return message(400, problem);
  statuses.push(JSON.parse(body));
  return taken;
}

/** Statuses that have not ended can be changed, but not to the same or an earlier state; after an ended status, a new one is created. */
function transitionProblem(from: string | undefined, to: string): string | undefined {
  const event = { pending: 'enqueue', running: 'run' }[to];
  const isStuck = from === to || (from === 'running' && to === 'pending');
  if (event === undefined || !isStuck) return undefined;
  return `Cannot transition status via :${event} from :${from} (Reason(s): Status cannot transition via "${event}")`;
}

/** Global set-up of the tests in workerd, which can't listen themselves. */
export async function setup(project: {
  provide(key: 'statusHosts', url: string): void;
}): Promise<() => Promise<void>> {
  const hosts = await startStatusHosts();
  project.provide('statusHosts', hosts.url);
  return hosts.close;
}
