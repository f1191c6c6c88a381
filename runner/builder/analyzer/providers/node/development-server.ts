/** Distinguishes scripts that serve during development from production servers. */
import type { PackageJson } from './package-json.ts';

/** Development or preview servers: a site whose `start` is one of these is still a site. */
const siteServers =
  /^(vite|react-scripts|ng|vue-cli-service|serve|http-server|live-server|lite-server|parcel|webpack|webpack-dev-server|astro|gatsby|docusaurus|vitepress|vuepress|eleventy|@11ty\/eleventy|hexo|gridsome|ember|stencil|expo|quasar|rsbuild|rspack|nx)(\s|$)/;
/** Development commands of frameworks that also have a production server. */
const developing =
  /^(next|nuxt|nuxi|remix|react-router|vinxi|solid-start|svelte-kit|waku)\s+(dev|develop)(\s|$)/;
/** The text before the program: variables, and the command that finds the program among the packages. */
const before =
  /^(?:(?:cross-env|env|npx(?:\s+(?:-y|--yes))?|bunx|(?:pnpm|yarn)\s+(?:exec|dlx))\s+|\w+=(?:'[^']*'|"[^"]*"|[^\s'"]*)\s+)+/;
const scriptCall = /^(?:npm|pnpm|yarn|bun)\s+(?:run\s+)?([\w:.-]+)$/;
/** Scripts may call themselves. */
const scriptDepthMax = 5;

/** @param text a command, which may call scripts: `npm run dev` */
export function servesDevelopment(text: string, scripts: PackageJson['scripts'], depth = 0): boolean {
  const command = text.trim().replace(before, '');
  const name = scriptCall.exec(command)?.[1];
  const called = name !== undefined && Object.hasOwn(scripts, name) ? scripts[name] : undefined;
  if (called !== undefined && depth < scriptDepthMax) return servesDevelopment(called, scripts, depth + 1);
  return siteServers.test(command) || developing.test(command);
}
