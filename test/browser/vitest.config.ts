import { defineConfig } from 'vitest/config'

// Apart from the other tests, since it needs a Chromium: npm run test:browser.
export default defineConfig({
  test: {
    include: ['test/browser/*.browser.ts'],
    testTimeout: 240_000,
    hookTimeout: 60_000,
  },
})
