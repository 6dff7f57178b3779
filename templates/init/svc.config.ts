import { defineConfig } from "svc-server/config";

export default defineConfig({
  name: "{{name}}",
  http: { port: 9000 },
});
