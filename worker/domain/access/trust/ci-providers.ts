/**
 * CI services that give each job an identity token, and what their tokens say. The names of claims are from:
 * - GitHub: https://docs.github.com/en/actions/reference/security/oidc
 * - GitLab: https://docs.gitlab.com/ci/secrets/id_token_authentication/#token-payload
 * - Forgejo: https://forgejo.org/docs/next/user/actions/security-openid-connect/
 */
import { z } from 'zod';

/** `other`: any issuer; its tokens are recognised by their subject. */
export const ciProviders = ['github', 'gitlab', 'forgejo', 'other'] as const;
export type CiProvider = (typeof ciProviders)[number];

/** Git allows longer names, but no pattern needs more. */
const claimMax = 500;
const text = z.string().max(claimMax);
/** Providers send numbers as strings; a number is accepted too. */
const id = z.union([text.min(1), z.int().nonnegative().transform(String)]);

/** Claims of any token. Times are in seconds (RFC 7519, section 4.1). */
export const standardClaimsSchema = z.object({
  iss: text.min(1),
  sub: text.min(1),
  aud: z.union([text, z.array(text).max(20)]),
  exp: z.number(),
  iat: z.number(),
});
export type StandardClaims = z.infer<typeof standardClaimsSchema>;

/** The job for which a token was issued. */
export interface CiJob {
  /** `owner/name`; for `other` the subject. */
  repository: string;
  /** Ids that are never given to another repository or owner; `null` if the provider sends none. */
  repositoryId: string | null;
  ownerId: string | null;
  /** Such as `refs/heads/main`; `null` for `other`. */
  ref: string | null;
  environment: string | null;
  /** What started the job; `null` for `other`. */
  event: string | null;
  /** Id of the run or the pipeline; `null` for `other`. */
  run: string | null;
}

const github = z
  .object({
    ...{ repository: text, repository_id: id, repository_owner_id: id },
    ...{ ref: text, event_name: text, run_id: id, environment: text.optional() },
  })
  .transform(
    (claims): CiJob => ({
      repository: claims.repository,
      repositoryId: claims.repository_id,
      ownerId: claims.repository_owner_id,
      ref: claims.ref,
      environment: claims.environment ?? null,
      event: claims.event_name,
      run: claims.run_id,
    }),
  );

const gitlab = z
  .object({
    ...{ project_path: text, project_id: id, namespace_id: id },
    ...{ ref_path: text, pipeline_source: text, pipeline_id: id, environment: text.optional() },
  })
  .transform(
    (claims): CiJob => ({
      repository: claims.project_path,
      repositoryId: claims.project_id,
      ownerId: claims.namespace_id,
      ref: claims.ref_path,
      environment: claims.environment ?? null,
      event: claims.pipeline_source,
      run: claims.pipeline_id,
    }),
  );

/** Forgejo documents neither ids of repositories nor environments. */
const forgejo = z.object({ repository: text, ref: text, event_name: text, run_id: id }).transform(
  ({ repository, ref, event_name: event, run_id: run }): CiJob => ({
    ...{ repository, repositoryId: null, ownerId: null, ref, environment: null, event, run },
  }),
);

const other = z.object({ sub: text.min(1) }).transform(
  ({ sub }): CiJob => ({
    ...{ repository: sub, repositoryId: null, ownerId: null, ref: null },
    ...{ environment: null, event: null, run: null },
  }),
);

interface Provider {
  /** The issuer of the provider's public service; `null` if there is none. */
  issuer: string | null;
  job: z.ZodType<CiJob, unknown>;
  /** Whether its tokens have ids of the repository and its owner. */
  hasIds: boolean;
  hasEnvironments: boolean;
  /**
   * Events that are trusted by default: those that need write access to the repository and run what is in it. So neither pull and merge
   * requests, `pull_request_target` among them, which runs on the target branch on behalf of a stranger, nor events that a comment, an
   * issue or another workflow causes.
   */
  events: readonly string[];
}

const actionsEvents = ['push', 'workflow_dispatch', 'schedule', 'release'];

export const providerOf: Readonly<Record<CiProvider, Provider>> = {
  github: {
    issuer: 'https://token.actions.githubusercontent.com',
    job: github,
    ...{ hasIds: true, hasEnvironments: true, events: actionsEvents },
  },
  gitlab: {
    issuer: 'https://gitlab.com',
    job: gitlab,
    ...{ hasIds: true, hasEnvironments: true },
    // https://docs.gitlab.com/ci/jobs/job_rules/#ci_pipeline_source-predefined-variable
    events: ['push', 'web', 'schedule', 'api', 'trigger'],
  },
  forgejo: {
    ...{ issuer: null, job: forgejo },
    ...{ hasIds: false, hasEnvironments: false, events: actionsEvents },
  },
  other: { issuer: null, job: other, hasIds: false, hasEnvironments: false, events: [] },
};

/** Accepted signatures: those that issuers may choose and that use no secret which both sides know (RFC 7518, section 3.1; RFC 8037). */
export const ciSignatureAlgorithms = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];
