/** Traffic rules in the form of the editor: each field is a text, and each optional part has a switch. */
import type { PutServiceTrafficRulesBody as Rules } from '../../../../client/client.ts';

type Redirect = NonNullable<Rules['redirects']>[number];
type Header = NonNullable<Rules['requestHeaders']>[number];
type Domains = Redirect['domains'];

export interface RedirectDraft {
  domains: string;
  fromPath: string;
  to: string;
  match: 'exact' | 'prefix';
  permanent: boolean;
  keepPath: boolean;
}

export interface HeaderDraft {
  change: Header['change'];
  header: string;
  content: string;
}

export interface UserDraft {
  user: string;
  /** Empty: the stored password stays. */
  password: string;
  isStored: boolean;
}

export interface RulesDraft {
  redirects: RedirectDraft[];
  hasAuth: boolean;
  authDomains: string;
  users: UserDraft[];
  openPaths: string;
  hasMaintenance: boolean;
  maintenanceDomains: string;
  retryAfterSeconds: string;
  allowedAddresses: string;
  requestHeaders: HeaderDraft[];
  responseHeaders: HeaderDraft[];
  maxBodyMegabytes: string;
  firstByteTimeoutSeconds: string;
  idleTimeoutSeconds: string;
  hasAccessLog: boolean;
  /** Share of the requests that is written, in percent. */
  accessLogPercent: string;
}

export const newRedirect = (): RedirectDraft => ({
  ...{ domains: '', fromPath: '', to: '', match: 'prefix' },
  ...{ permanent: false, keepPath: true },
});
export const newHeader = (): HeaderDraft => ({ change: 'set', header: '', content: '' });
export const newUser = (): UserDraft => ({ user: '', password: '', isStored: false });

/** Lists are typed with one name per line, or with commas. */
const listOf = (text: string): string[] => text.split(/[\s,]+/).filter(Boolean);
const textOf = (list: readonly string[] | undefined): string => (list ?? []).join('\n');

function domainsOf(text: string): { domains?: NonNullable<Domains> } {
  const [first, ...others] = listOf(text);
  return first === undefined ? {} : { domains: [first, ...others] };
}

/** @param rules in the form of the API */
export function draftOf(rules: Rules): RulesDraft {
  const { basicAuth, maintenance } = rules;
  return {
    redirects: (rules.redirects ?? []).map((one) => ({
      domains: textOf(one.domains),
      fromPath: one.fromPath ?? '',
      to: one.to,
      match: one.match ?? 'prefix',
      permanent: one.permanent ?? false,
      keepPath: one.keepPath ?? true,
    })),
    hasAuth: Boolean(basicAuth),
    authDomains: textOf(basicAuth?.domains),
    users: (basicAuth?.users ?? []).map(({ user }) => ({ user, password: '', isStored: true })),
    openPaths: textOf(basicAuth?.openPaths),
    hasMaintenance: Boolean(maintenance),
    maintenanceDomains: textOf(maintenance?.domains),
    retryAfterSeconds: maintenance?.retryAfterSeconds ? String(maintenance.retryAfterSeconds) : '',
    allowedAddresses: textOf(maintenance?.allowedAddresses),
    requestHeaders: (rules.requestHeaders ?? []).map(headerDraft),
    responseHeaders: (rules.responseHeaders ?? []).map(headerDraft),
    maxBodyMegabytes: rules.maxBodyMegabytes ? String(rules.maxBodyMegabytes) : '',
    firstByteTimeoutSeconds: rules.firstByteTimeoutSeconds ? String(rules.firstByteTimeoutSeconds) : '',
    idleTimeoutSeconds: rules.idleTimeoutSeconds ? String(rules.idleTimeoutSeconds) : '',
    hasAccessLog: Boolean(rules.accessLog),
    accessLogPercent: String(percentOf(rules.accessLog?.sample ?? 1)),
  };
}

/** @returns a body that sets the edited rules; the server checks it */
export function rulesOf(draft: RulesDraft): Rules {
  return {
    redirects: draft.redirects.map(({ domains, fromPath, to, match, permanent, keepPath }) => ({
      ...domainsOf(domains),
      ...(fromPath === '' ? {} : { fromPath }),
      ...{ to, match, permanent, keepPath },
    })),
    basicAuth: draft.hasAuth ? authOf(draft) : null,
    maintenance: draft.hasMaintenance
      ? {
          ...domainsOf(draft.maintenanceDomains),
          ...(draft.retryAfterSeconds === '' ? {} : { retryAfterSeconds: Number(draft.retryAfterSeconds) }),
          allowedAddresses: listOf(draft.allowedAddresses),
        }
      : null,
    requestHeaders: draft.requestHeaders.map(headerOf),
    responseHeaders: draft.responseHeaders.map(headerOf),
    maxBodyMegabytes: numberOf<NonNullable<Rules['maxBodyMegabytes']>>(draft.maxBodyMegabytes),
    firstByteTimeoutSeconds: numberOf<NonNullable<Rules['firstByteTimeoutSeconds']>>(
      draft.firstByteTimeoutSeconds,
    ),
    idleTimeoutSeconds: numberOf<NonNullable<Rules['idleTimeoutSeconds']>>(draft.idleTimeoutSeconds),
    accessLog: draft.hasAccessLog ? { sample: Number(draft.accessLogPercent) / 100 } : null,
  };
}

function authOf({ authDomains, users, openPaths }: RulesDraft): NonNullable<Rules['basicAuth']> {
  const named = users.map(({ user, password }) => ({ user, ...(password === '' ? {} : { password }) }));
  // An empty list: the server reports that a user is needed.
  const all = named as NonNullable<Rules['basicAuth']>['users'];
  return { ...domainsOf(authDomains), users: all, openPaths: listOf(openPaths) };
}

const headerDraft = ({ change, header, content }: Header): HeaderDraft => ({
  ...{ change, header },
  content: content ?? '',
});
const headerOf = ({ change, header, content }: HeaderDraft): Header => ({
  ...{ change, header },
  ...(change === 'remove' ? {} : { content }),
});
/** Rounds away the last digits of a binary fraction. */
const percentOf = (share: number) => Number((share * 100).toPrecision(12));
/** One of the values of a choice. */
const numberOf = <Value extends number>(text: string): Value | null =>
  text === '' ? null : (Number(text) as Value);
