// Stands for content that has not come yet; invisible for the first moment.

export function Loading({ what }: { readonly what: string }) {
  return (
    <p class="loading soft" role="status">
      Loading {what}…
    </p>
  );
}
