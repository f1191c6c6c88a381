/** Failed deployments with a log, and an API whose AI providers are all one server. */
import { env } from 'cloudflare:workers';
import { expect } from 'vitest';
import { createDependencies } from '../../../worker/context.ts';
import { createLanguageModels } from '../../../worker/gateways/ai/language-models.ts';
import { logStreamOf } from '../../../worker/gateways/log-streams.ts';
import { createClient, insertKey, type Json, operatorToken } from './api.ts';
import { insertDeploymentOf, insertHostedService } from './deployment-rows.ts';
import { AiServer } from './servers/ai-servers.ts';

export const missingModule = [
  'node:internal/modules/cjs/loader:1568',
  "Error: Cannot find module 'dayjs'",
  'Node.js v24.21.0',
];
const failedJob = {
  state: 'failed',
  phase: 'health',
  failureCode: 'health_failed',
  failureMessage:
    'The container ended with exit code 1 right after its start; its last lines are in the log.',
} as const;

export const openAi = {
  id: 'openai',
  kind: 'openai-compatible',
  baseUrl: 'https://llm.example/v1',
  apiKey: 'sk-test-0123456789abcdef',
  defaultModel: 'small-1',
};

/** Starts without providers and settings. */
export async function explainBench() {
  await env.DB.batch([env.DB.prepare('delete from ai_providers'), env.DB.prepare('delete from settings')]);
  const server = new AiServer();
  const call = createClient({
    dependenciesOf: () => ({ ...createDependencies(env), ai: createLanguageModels(server.fetch) }),
  });
  const { token } = await insertKey();
  return {
    server,
    token,
    call,
    /** Connects a provider. */
    async connect(body: Json) {
      const reply = await call('POST', '/api/system/ai-providers', { token: operatorToken, body });
      expect(reply.text).toContain('"provider"');
    },
    /** @param lines of its log; a rule knows the default */
    async failedDeployment(lines: string[] = missingModule) {
      const hosted = await insertHostedService();
      const { deployment } = await insertDeploymentOf(hosted.service.id, {
        job: failedJob,
        deployment: { status: 'failed' },
      });
      const log = logStreamOf(env.LOG_STREAM, deployment.id);
      if (lines.length > 0) {
        await log.append(
          1,
          lines.map((line) => ({ stream: 'stderr' as const, at: Date.now(), line })),
        );
      }
      const explain = (body?: unknown, as = token) =>
        call('POST', `/api/deployments/${deployment.id}/explain-failure`, { token: as, body });
      return { ...hosted, deployment, explain };
    },
  };
}

export type ExplainBench = Awaited<ReturnType<typeof explainBench>>;

/** The provider field of an answer by the rules instead of a model. */
export const fallback = (reason: RegExp) => ({
  id: 'builtin',
  model: null,
  fallbackReason: expect.stringMatching(reason),
});
