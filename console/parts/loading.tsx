// Placeholder for content that is being loaded; invisible for the first moment.

export function Loading({ what }: { readonly what: string }) {
  return (
    <p class="loading soft" role="status">
      Loading {what}…
    </p>
  );
}
