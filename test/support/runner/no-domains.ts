import type { DomainSource } from '../../../runner/host/domains/domain-source.ts';

/** A host without custom domains. */
export const noDomains: DomainSource = { states: () => [], onChange: () => undefined };
