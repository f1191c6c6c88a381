declare namespace Cloudflare {
  interface Env {
    TEST_MIGRATIONS: import('cloudflare:test').D1Migration[];
    TEST_RACES: number;
  }
  interface GlobalProps {
    mainModule: typeof import('../../worker/index.ts');
  }
}
