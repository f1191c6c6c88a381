/** Caddy's own answers to visitors whose request no app answered. Pure. */
import { waitReasons } from '../edge/held-requests.ts';
import { answerHeader, pageWith } from '../edge/own-answer.ts';
import { tooLargeCode, tooLargeSentence, trafficRule } from '../edge/rules/rules-listener.ts';
import { visitorPage } from '../visitor-page.ts';
import { htmlPage, jsonText, plainText, text } from './caddy-text.ts';

/** Variable of a request that no longer waits: browsers get a page that asks again, or all clients that the app could not be started. */
export const waitReason = 'longshore_waits_for';
/** Value of the answer header: the app was asleep, and ended when it was started. */
export const startFailed = 'start-failed';
/** Edge's limit for the size of the body, in MB. */
export const bodyLimit = 'longshore_max_body';

/** Answers to requests that no app answered. A probe recognises by the header that they are from the proxy. */
const isAway = { vars: { '{http.error.status_code}': ['502', '503'] } };
const isLate = { vars: { '{http.error.status_code}': ['504'] } };
const away = (headers: Record<string, string[]>, body: string, answer = 'app-silent') => ({
  terminal: true,
  handle: [
    {
      handler: 'static_response',
      status_code: '{http.error.status_code}',
      headers: {
        ...headers,
        'Cache-Control': ['no-store'],
        'Retry-After': ['5'],
        [answerHeader]: [answer],
      },
      body,
    },
  ],
});
const pageThatAsksAgain = (reason: string, answer: string, title: string, sentence: string) => ({
  match: [{ vars: { [waitReason]: [reason] } }],
  terminal: true,
  handle: [
    {
      handler: 'static_response',
      status_code: '503',
      headers: {
        ...htmlPage,
        'Cache-Control': ['no-store'],
        'Retry-After': ['2'],
        Refresh: ['2'],
        [answerHeader]: [answer],
      },
      body: visitorPage(title, sentence),
    },
  ],
});

/** The answer to a body that exceeds the limit in the rules of the name. Edge refuses announced lengths before. */
const tooLarge = tooLargeSentence('{http.request.host}', `{http.vars.${bodyLimit}}`);
/** Caddy reads braces as placeholders. */
const tooLargeJson = JSON.stringify({ error: tooLarge, code: tooLargeCode }).replace(/^{|}$/g, '\\$&');
const tooLargeAnswers = [
  { accept: ['*json*'], headers: jsonText, body: tooLargeJson },
  { accept: ['*text/html*'], headers: htmlPage, body: pageWith(tooLarge) },
  { accept: undefined, headers: plainText, body: `${tooLarge}\n` },
].map(({ accept, headers, body }) => ({
  match: [{ vars: { '{http.error.status_code}': ['413'] }, ...(accept && { header: { Accept: accept } }) }],
  terminal: true,
  handle: [
    {
      handler: 'static_response',
      status_code: '413',
      headers: { ...headers, 'Cache-Control': ['no-store'], [answerHeader]: [trafficRule] },
      body,
    },
  ],
}));

const awayHint = 'If this is your app: its log shows why.';
const isNotStarted = { vars: { [waitReason]: [waitReasons.failed] } };
export const errorRoutes = [
  {
    match: [{ ...isNotStarted, header: { Accept: ['*text/html*'] } }],
    ...away(
      htmlPage,
      visitorPage(
        'This site could not be started',
        '{http.request.host} was not visited for a while, and did not start again. Try again in a moment.',
        awayHint,
      ),
      startFailed,
    ),
  },
  {
    match: [isNotStarted],
    ...away(
      plainText,
      'The app behind {http.request.host} was asleep and could not be started. Its log shows why.\n',
      startFailed,
    ),
  },
  pageThatAsksAgain(
    waitReasons.asleep,
    'waking',
    'This site is waking up',
    '{http.request.host} was not visited for a while. It is starting, and this page asks again by itself.',
  ),
  pageThatAsksAgain(
    waitReasons.held,
    'restarting',
    'This site is restarting',
    '{http.request.host} will answer again in a moment. This page asks again by itself.',
  ),
  ...tooLargeAnswers,
  {
    match: [{ ...isLate, header: { Accept: ['*text/html*'] } }],
    ...away(
      htmlPage,
      visitorPage(
        'This site takes too long to answer',
        '{http.request.host} did not answer in time. Try again in a moment.',
        awayHint,
      ),
    ),
  },
  {
    match: [isLate],
    ...away(plainText, 'The app behind {http.request.host} did not answer in time. Its log shows why.\n'),
  },
  {
    match: [{ ...isAway, header: { Accept: ['*text/html*'] } }],
    // Only names that passed the host matcher arrive here, so they need no escaping.
    ...away(
      htmlPage,
      visitorPage(
        'This site does not answer',
        '{http.request.host} is not answering right now. Try again in a moment.',
        awayHint,
      ),
    ),
  },
  {
    match: [isAway],
    ...away(plainText, 'The app behind {http.request.host} does not answer. Its log shows why.\n'),
  },
  { handle: [text('{http.error.status_code}', '{http.error.status_code} {http.error.status_text}')] },
];
