import { defineConfig } from 'vitest/config'

// Apart from the other tests, since it needs a Chromium: npm run test:web.
export default defineConfig({
  test: {
    include: ['test/web/*.web.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    fileParallelism: false,
  },
})
