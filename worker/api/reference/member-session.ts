/** Authentication of a member's browser. */
export const memberSession = {
  type: 'apiKey',
  in: 'cookie',
  name: '__Host-longshore-session',
  description:
    'The session of a member, with the `proof` of POST /api/sessions in the header X-Longshore-Session. Over plain http the cookie is named after the port.',
};
