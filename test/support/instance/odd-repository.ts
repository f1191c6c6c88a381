/** A repository whose directory and Dockerfile have names that a shell would read as commands. */
import { createRepository } from './repository.ts';

const dockerfile = 'FROM node:24-slim\nWORKDIR /app\nCOPY . .\nUSER node\nCMD ["node", "server.js"]\n';
/** A server that answers with its environment. */
const server = `
  require('node:http').createServer((_, response) => response.end(JSON.stringify(process.env))).listen(process.env.PORT);
  console.log('secret in the runtime log', process.env.SECRET_VALUE);
  process.on('SIGTERM', () => process.exit(0));
`;

/** @param canary name of the file that would be created if one of them was executed */
export async function createOddRepository(root: string, name: string, canary: string) {
  const directory = `a'b"; touch ${canary}; $(touch ${canary}) \`touch ${canary}\` && -x`;
  const file = `--file $(touch ${canary}).Dockerfile`;
  await createRepository(root, name, {
    Dockerfile: dockerfile,
    'server.js': server,
    [`${directory}/${file}`]: dockerfile,
    [`${directory}/server.js`]: server,
    [`${directory}/site/index.html`]: '<p>static</p>',
  });
  return { directory, dockerfile: file };
}
