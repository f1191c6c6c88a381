/** The part of autocannon that the benches use; it brings no types. */
declare module 'autocannon' {
  function autocannon(options: {
    url: string;
    connections: number;
    duration: number;
    headers: Record<string, string>;
  }): Promise<{
    requests: { average: number; total: number };
    latency: { p50: number; p99: number };
    non2xx: number;
    errors: number;
  }>;
  // biome-ignore lint/style/noDefaultExport: it has one
  export default autocannon;
}
