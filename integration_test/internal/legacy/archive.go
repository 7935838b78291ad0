package legacy

import (
	"context"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
	"google.golang.org/protobuf/types/known/structpb"
)

// ArchiveType is the workflow type of an archive.
const ArchiveType = "Archive"

// Parcel is an input with its token as bytes, behind a pointer and in a list.
type Parcel struct {
	Name string `json:"name"`
	Key  []byte `json:"key"`
	Deep *Inner `json:"deep"`
}

// Inner is where a Parcel keeps its other token.
type Inner struct {
	Tokens []string `json:"tokens"`
}

// archive hands its token to activities in the forms other than a string field.
func archive(ctx workflow.Context, token string) ([]string, error) {
	ctx = options(ctx)
	var done []string
	for _, step := range []struct {
		name string
		arg  any
	}{
		{"SignArchive", &commonpb.WorkflowType{Name: token}},
		{"Upload", map[string]any{"name": "archive.tar", "auth": map[string]any{"token": token}}},
		{"Stamp", Parcel{Name: "archive.tar", Key: []byte(token), Deep: &Inner{Tokens: []string{"public", token}}}},
	} {
		var answer string
		if err := workflow.ExecuteActivity(ctx, step.name, step.arg).Get(ctx, &answer); err != nil {
			return nil, err
		}
		done = append(done, answer)
	}
	return done, nil
}

// PublicationType is the workflow type of a publication.
const PublicationType = "Publication"

// publication hands its token to an activity in a protobuf message that has no
// fields of its own: whatever stands in it is data.
func publication(ctx workflow.Context, token string) (string, error) {
	message, err := structpb.NewStruct(map[string]any{"name": "archive.tar", "token": token}) //workflowcheck:ignore // a map is read into a map
	if err != nil {
		return "", err
	}
	var answer string
	err = workflow.ExecuteActivity(options(ctx), "Publish", message).Get(ctx, &answer)
	return answer, err
}

// RegisterArchive registers the workflows of archives and publications.
func RegisterArchive(r worker.WorkflowRegistry) {
	r.RegisterWorkflowWithOptions(archive, workflow.RegisterOptions{Name: ArchiveType})
	r.RegisterWorkflowWithOptions(publication, workflow.RegisterOptions{Name: PublicationType})
}

// RegisterArchiveActivities registers their activities.
func RegisterArchiveActivities(r worker.ActivityRegistry, seen *Seen) {
	r.RegisterActivityWithOptions(func(_ context.Context, m *commonpb.WorkflowType) (string, error) {
		seen.Add("SignArchive", m.GetName())
		return "signed", nil
	}, activity.RegisterOptions{Name: "SignArchive"})
	r.RegisterActivityWithOptions(func(_ context.Context, m *structpb.Struct) (string, error) {
		seen.Add("Publish", m.GetFields()["token"].GetStringValue())
		return "published", nil
	}, activity.RegisterOptions{Name: "Publish"})
	r.RegisterActivityWithOptions(func(_ context.Context, m map[string]any) (string, error) {
		auth, _ := m["auth"].(map[string]any)
		token, _ := auth["token"].(string)
		seen.Add("Upload", token)
		return "uploaded", nil
	}, activity.RegisterOptions{Name: "Upload"})
	r.RegisterActivityWithOptions(func(_ context.Context, p Parcel) (string, error) {
		seen.Add("Stamp", string(p.Key))
		if p.Deep != nil && len(p.Deep.Tokens) > 1 {
			seen.Add("Stamp", p.Deep.Tokens[1])
		}
		return "stamped", nil
	}, activity.RegisterOptions{Name: "Stamp"})
}
